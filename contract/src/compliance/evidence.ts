/** Limits and names that server and portal share for compliance. */

/** The maximum size of a file in bytes, and the maximum number of pieces of evidence of one status. */
export const evidenceLimits = { fileBytes: 5_242_880, perStatus: 20 } as const;

/** The facts that the system can record about a tenant at the moment of the request. */
export const factKeys = ['reporting', 'owners', 'software', 'access', 'tokens', 'changes', 'rules'] as const;

export type FactKey = (typeof factKeys)[number];

/** The number of weeks that the strip of weeks shows, and that one call returns at most. */
export const weeksAtOnce = 26;
