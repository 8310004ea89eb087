/** The state of an execution as text and tone. An execution that is retried shows how often it failed, not only "waiting". */
import { outcomeLabel, resultStatus } from '@cloudfit/contract/enums.ts';
import { executionTexts as t } from '@cloudfit/contract/messages/executions.en.ts';

export type ExecutionTone = 'ok' | 'warn' | 'danger' | 'info' | 'plain';

interface ExecutionParts {
  resultStatusId: number;
  resultDetail: unknown;
  keptSince?: string | null;
  nextTry?: string | null;
}

const tones: Partial<Record<number, ExecutionTone>> = {
  [resultStatus.success]: 'ok',
  [resultStatus.failure]: 'danger',
  [resultStatus.enqueueSuccess]: 'info',
  [resultStatus.enqueueFailure]: 'danger',
  [resultStatus.suppressed]: 'warn',
};

/** The HTTP status, and the error or the reason, in one line. */
function wordsOf(detail: Record<string, unknown>): string {
  const { error, reason, status } = detail;
  const words = [error, reason].find((part) => typeof part === 'string');
  return [typeof status === 'number' ? String(status) : '', typeof words === 'string' ? words : ''].filter(Boolean).join(' · ');
}

export function executionState({ resultStatusId, resultDetail, keptSince, nextTry }: ExecutionParts): {
  label: string;
  tone: ExecutionTone;
  words: string;
} {
  const detail = (typeof resultDetail === 'object' && resultDetail !== null ? resultDetail : {}) as Record<string, unknown>;
  const words = wordsOf(detail);
  if (resultStatusId === resultStatus.enqueueSuccess) {
    const tries = typeof detail['attempt'] === 'number' ? detail['attempt'] : 0;
    if (keptSince) return { label: t.notSent, tone: 'warn', words };
    if (tries > 0) return { label: t.failedTimes(tries), tone: 'warn', words };
    if (nextTry) return { label: t.waits, tone: 'warn', words };
  }
  return { label: outcomeLabel({ resultStatusId, resultDetail }), tone: tones[resultStatusId] ?? 'plain', words };
}
