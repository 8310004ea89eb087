import type { Explanation } from '@cloudfit/contract/actions/explain.ts';

const matched: readonly string[] = ['hit', 'repeated', 'late', 'suppressed'];

/** Whether the rule matched, also if the match was repeated, suppressed or late. */
export const isMatched = (explanation: Explanation) => matched.includes(explanation.outcome);
