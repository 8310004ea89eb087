import type { Explanation } from '@cloudfit/contract/actions/explain.ts';

const matched: readonly string[] = ['hit', 'repeated', 'late', 'suppressed'];

/** Whether the rule matched, also where the match was suppressed or came late. */
export const isMatched = (explanation: Explanation) => matched.includes(explanation.outcome);
