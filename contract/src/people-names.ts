/** The lookup of display names that server and portal share. */

/** The maximum number of sign-in names in one call. */
export const maxNames = 200;
