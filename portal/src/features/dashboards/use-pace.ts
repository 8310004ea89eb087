/** When a wall reads again: soon after a change, at most four times a minute, and after a while also without a change. */
import { useEffect, useEffectEvent, useRef } from 'react';
import { followLive, useLive } from '../../api/live.ts';

/** Readings in a minute, whatever changes. */
const maxReadings = 4;
const minuteMs = 60_000;
/** While no changes arrive. People read walls from a distance, so that 15 seconds are enough. */
export const pollMs = minuteMs / maxReadings;
/** While changes arrive: a device becomes silent without one. */
const restMs = 30_000;
/** Changes that come together are read together. */
const togetherMs = 500;
/** Packets come all the time, and must leave readings for the rest. */
const packetsMs = 20_000;

/** The delay until the next reading at `now`, for a reading that is due in `wishedMs`. `readings`: times of the last ones, in order. */
function delayOf(readings: readonly number[], now: number, wishedMs: number): number {
  const first = readings.at(-maxReadings);
  return Math.max(wishedMs, first === undefined ? 0 : first + minuteMs - now);
}

/** The delay that a change of the entity wishes for, `lastMs` after the last reading. */
const wishOf = (entity: string, lastMs: number): number => (entity === 'packets' ? Math.max(togetherMs, packetsMs - lastMs) : togetherMs);

interface Pace {
  read: () => void;
  /** When the last reading ended, with data or without; 0: none has ended. */
  endedAt: number;
  /** Entities whose changes what is shown depends on. */
  entities: readonly string[];
}

export function usePace({ read, endedAt, entities }: Pace): void {
  const isLive = useLive();
  const readings = useRef<number[]>([]);
  const next = useRef<{ at: number; timer: ReturnType<typeof setTimeout> } | undefined>(undefined);
  const cancel = () => {
    clearTimeout(next.current?.timer);
    next.current = undefined;
  };
  const run = useEffectEvent(() => {
    next.current = undefined;
    read();
  });
  const plan = useEffectEvent((wishedMs: number) => {
    const now = Date.now();
    const at = now + delayOf(readings.current, now, wishedMs);
    if (next.current && next.current.at <= at) return;
    cancel();
    next.current = { at, timer: setTimeout(run, at - now) };
  });
  const onEnd = useEffectEvent(() => {
    cancel();
    if (endedAt > (readings.current.at(-1) ?? 0)) readings.current = [...readings.current, endedAt].slice(-maxReadings);
    if (endedAt > 0) plan(isLive ? restMs : pollMs);
  });
  // Whether the server answers is seen by a reading, and so is what changed while no changes arrived.
  const onTurn = useEffectEvent(() => {
    if (endedAt > 0) plan(togetherMs);
  });
  const onChange = useEffectEvent((entity: string) => {
    if (endedAt > 0 && (entity === '*' || entities.includes(entity))) plan(wishOf(entity, Date.now() - endedAt));
  });
  useEffect(() => onEnd(), [endedAt]);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) onTurn();
    isFirst.current = false;
  }, [isLive]);
  useEffect(() => followLive(({ entity }) => onChange(entity)), []);
  useEffect(() => cancel, []);
}
