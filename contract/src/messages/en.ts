/** Every text that people read in the portal; quoted texts of the spec stand verbatim. */
export const en = {} as const;
