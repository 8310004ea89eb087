/** When a fault comes and goes so often that its matches say little: flapping. */

/** A fault flaps from this number of matches of one rule and subject within an hour. */
export const flappingMatches = 4;

/** Changes between matching and not matching: each match has two. */
export const changesOf = (matches: number): number => 2 * matches;
