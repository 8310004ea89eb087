import type { Tone } from '../../components/chips.tsx';
import { useNow } from '../../components/relative-time.tsx';
import { DueTime, type NextClock } from './due-time.tsx';
import { TimeBar } from './time-bar.tsx';

/** When the next clock of a unit is due, with a bar of how much of the time since the unit was opened has passed. */
export function DueBar({ unit }: { unit: NextClock & { created: string } }) {
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
