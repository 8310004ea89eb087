/** The limit of the lookup of display names, which server and portal share. */

/** The maximum number of sign-in names in one call. */
export const maxNames = 200;
