/** The lookup of display names that server and portal share. */

/** How many sign-in names one call may contain. */
export const maxNames = 200;
