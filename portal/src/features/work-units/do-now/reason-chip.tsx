import { doNowTexts as t } from '@cloudfit/contract/messages/do-now.en.ts';
import { Chip, type Tone } from '../../../components/chips.tsx';
import { TimeBar } from '../../../entities/work-units/time-bar.tsx';
import { lasting, useNow } from '../../../components/relative-time.tsx';
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

interface ReasonChipProps {
  reason: Reason;
  /** When the unit was opened, where the clocks of its service level began. */
  opened: string | undefined;
}

/** Why an entry is in the list, with its clock, and a bar of the time that has passed. */
export function ReasonChip({ reason, opened }: ReasonChipProps) {
  const now = useNow();
  const { kind, due, since } = reason;
  if (due === null) return <Chip title={wordsOf(reason)}>{wordsOf(reason)}</Chip>;
  const left = Date.parse(due) - now;
  const tone = toneOf(reason, left <= 0);
  const words = wordsOf(reason);
  const isLevel = kind === 'LevelDue' || kind === 'LevelBreached';
  return (
    <>
      {kind === 'CallBack' ? (
        <CallDue due={due} />
      ) : (
        <Chip tone={tone} title={`${words}, ${exactTime(due)}`}>
          {`${words}, ${left > 0 ? t.due(lasting(left)) : t.over(lasting(left))}`}
        </Chip>
      )}
      <TimeBar from={(isLevel ? opened : undefined) ?? since} to={due} tone={tone} />
    </>
  );
}
