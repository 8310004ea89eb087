/** Limits of a control's evidence, and the facts that the system can record as evidence. */

/** The maximum size of a file in bytes, and the maximum number of pieces of evidence of one status. */
export const evidenceLimits = { fileBytes: 5_242_880, perStatus: 20 } as const;

/** The facts that the system can record about a tenant at the moment of the request. */
export const factKeys = ['reporting', 'owners', 'software', 'access', 'tokens', 'changes', 'rules'] as const;

export type FactKey = (typeof factKeys)[number];

/** The number of weeks that one call returns, and that the strip of weeks shows. */
export const weeksAtOnce = 26;
