/** Limits of a control's evidence, and what the system can say about a tenant. */

/** Largest file, in bytes, and most pieces of evidence of one status. */
export const evidenceLimits = { fileBytes: 5_242_880, perStatus: 20 } as const;

/** The facts that the system can record about a tenant at the moment of the request. */
export const factKeys = ['reporting', 'owners', 'software', 'access', 'tokens', 'changes', 'rules'] as const;

export type FactKey = (typeof factKeys)[number];

/** The number of weeks, up to the newest one, that are read at once. */
export const weeksAtOnce = 26;
