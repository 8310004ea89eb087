import type { OperationRunStatus } from '@cloudfit/contract/enums.ts';
import type { Tone } from '../components/chips.tsx';

const tones: Readonly<Record<OperationRunStatus, Tone>> = {
  Queued: 'info',
  Running: 'info',
  Success: 'ok',
  Warning: 'warn',
  Critical: 'danger',
  Unknown: 'unknown',
  Failed: 'danger',
  Refused: 'danger',
  TimedOut: 'danger',
  Skipped: 'warn',
  Interrupted: 'warn',
  Dequeued: 'plain',
  Expired: 'warn',
};

/** The colour of a run; its status stands beside it as text. */
export const toneOfRun = (status: string): Tone => tones[status as OperationRunStatus] ?? 'plain';
