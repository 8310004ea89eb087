import { serviceLevelTexts as t } from '@cloudfit/contract/messages/service-levels.en.ts';
import { Chip } from '../../components/chips.tsx';
import { lasting, useNow } from '../../components/relative-time.tsx';
import { exactTime } from '../../theme/times.ts';

/** The next clock of a unit. */
export interface NextClock {
  clockDue: string | null;
  clockWarn: string | null;
}

/** When the next clock of a unit is due: how long it has, or for how long it is over. */
export function DueTime({ unit: { clockDue, clockWarn } }: { unit: NextClock }) {
  return clockDue ? <Due dueAt={clockDue} warnAt={clockWarn} /> : null;
}

function Due({ dueAt, warnAt }: { dueAt: string; warnAt: string | null }) {
  const now = useNow();
  const left = Date.parse(dueAt) - now;
  if (left <= 0) {
    return (
      <Chip tone="danger" title={exactTime(dueAt)}>
        {t.over(lasting(left))}
      </Chip>
    );
  }
  const isSoon = warnAt !== null && Date.parse(warnAt) <= now;
  return isSoon ? (
    <Chip tone="warn" title={exactTime(dueAt)}>
      {lasting(left)}
    </Chip>
  ) : (
    <time className="num" dateTime={dueAt} title={exactTime(dueAt)}>
      {lasting(left)}
    </time>
  );
}
