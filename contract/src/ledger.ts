/** The kinds of ledger entries. Not in the file of the ledger's call, so that pages that filter by kind do not load zod. */
export const ledgerKinds = ['packet', 'match', 'action', 'job', 'timer', 'protocol'] as const;

/** The states of ledger entries. `waiting`, `held` and `suppressed` are no problems, so a call lists them only on request. */
export const ledgerStates = ['stuck', 'late', 'failed', 'waiting', 'held', 'suppressed'] as const;
