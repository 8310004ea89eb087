/** The kinds of entries of the ledger. Not in the file of its call, so that pages that filter by them do not load zod. */
export const ledgerKinds = ['packet', 'match', 'action', 'job', 'timer', 'protocol'] as const;

/** `waiting`, `held` and `suppressed` are answered on request: nothing is wrong with them. */
export const ledgerStates = ['stuck', 'late', 'failed', 'waiting', 'held', 'suppressed'] as const;
