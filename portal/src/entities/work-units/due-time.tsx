import { serviceLevelTexts as t } from '@cloudfit/contract/messages/service-levels.en.ts';
import { Chip, type Tone } from '../../components/chips.tsx';
import { span, useNow } from '../../components/relative-time.tsx';
import { TimeBar } from '../../components/time-bar.tsx';
import { exactTime } from '../../theme/times.ts';

/** The next clock of a unit. */
interface UnitClock {
  clockDue: string | null;
  clockWarn: string | null;
}

/** When the next clock of a unit is due: how long it has, or for how long it is over. */
export function DueTime({ unit: { clockDue, clockWarn } }: { unit: UnitClock }) {
  return clockDue ? <Due dueAt={clockDue} warnAt={clockWarn} /> : null;
}

function Due({ dueAt, warnAt }: { dueAt: string; warnAt: string | null }) {
  const now = useNow();
  const left = Date.parse(dueAt) - now;
  if (left <= 0) {
    return (
      <Chip tone="danger" title={exactTime(dueAt)}>
        {t.over(span(left))}
      </Chip>
    );
  }
  const isSoon = warnAt !== null && Date.parse(warnAt) <= now;
  return isSoon ? (
    <Chip tone="warn" title={exactTime(dueAt)}>
      {span(left)}
    </Chip>
  ) : (
    <time className="num" dateTime={dueAt} title={exactTime(dueAt)}>
      {span(left)}
    </time>
  );
}

/** The same, with a bar of how much of the time since the unit was opened has passed. */
export function DueBar({ unit }: { unit: UnitClock & { created: string } }) {
  const now = useNow();
  const { clockDue, clockWarn, created } = unit;
  if (!clockDue) return null;
  const tone: Tone = Date.parse(clockDue) <= now ? 'danger' : clockWarn && Date.parse(clockWarn) <= now ? 'warn' : 'plain';
  return (
    <>
      <DueTime unit={unit} />
      <TimeBar from={created} to={clockDue} tone={tone} />
    </>
  );
}
