/** What the ledger tells apart. Beside its call, because pages that filter by it need no zod. */
export const ledgerKinds = ['packet', 'match', 'action', 'job', 'timer', 'protocol'] as const;

/** `waiting`, `held` and `suppressed` are answered on request: nothing is wrong with them. */
export const ledgerStates = ['stuck', 'late', 'failed', 'waiting', 'held', 'suppressed'] as const;
