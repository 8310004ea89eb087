import { doNowTexts as t } from '@cloudfit/contract/messages/do-now.en.ts';
import { Chip, type Tone } from '../../../components/chips.tsx';
import { span, useNow } from '../../../components/relative-time.tsx';
import { exactTime } from '../../../theme/times.ts';
import { CallDue } from '../../../entities/call-backs/call-backs.tsx';
import type { Reason } from './use-do-now.ts';

function wordsOf({ kind, detail }: Reason): string {
  switch (kind) {
    case 'CallBack':
      return '';
    case 'UpdateOverdue':
      return detail === 'internal' ? t.update.internal : t.update.customer;
    case 'Step':
      return t.step(detail ?? '');
    case 'StepFailed':
      return t.stepFailed(detail ?? '');
    case 'NewInGroup':
      return t.newInGroup(detail ?? '');
    case 'InGroup':
      return t.inGroup(detail ?? '');
    default:
      return t.reasons[kind];
  }
}

function toneOf({ kind }: Reason, isOver: boolean): Tone {
  if (isOver || kind === 'StepFailed') return 'danger';
  return kind === 'LevelDue' || kind === 'Step' || kind === 'Approval' ? 'warn' : 'plain';
}

/** Why an entry is in the list, with its clock. */
export function ReasonChip({ reason }: { reason: Reason }) {
  const now = useNow();
  const { kind, due } = reason;
  if (kind === 'CallBack' && due !== null) return <CallDue due={due} />;
  const left = due === null ? 0 : Date.parse(due) - now;
  const words = wordsOf(reason);
  return (
    <Chip tone={toneOf(reason, due !== null && left <= 0)} title={due === null ? words : `${words}, ${exactTime(due)}`}>
      {due === null ? words : `${words}, ${left > 0 ? t.due(span(left)) : t.over(span(left))}`}
    </Chip>
  );
}
