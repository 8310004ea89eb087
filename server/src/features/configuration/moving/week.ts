/** Hours of the week in minutes since Sunday 00:00, as other products limit their shifts to them. */
import type { Restriction } from '@cloudfit/contract/on-call/shifts.ts';

export const dayMinutes = 1_440;
export const weekMinutes = 7 * dayMinutes;

/** A time of each week; it may last past the end of the week. */
export interface WeekWindow {
  start: number;
  length: number;
}

const clock = (minutes: number): string => `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** The windows without overlaps; empty when they are the whole week. */
export function merged(windows: readonly WeekWindow[]): WeekWindow[] {
  const pieces = windows.flatMap(({ start, length }) => {
    const begins = ((start % weekMinutes) + weekMinutes) % weekMinutes;
    const ends = begins + Math.min(length, weekMinutes);
    return ends <= weekMinutes
      ? [[begins, ends] as [number, number]]
      : [[begins, weekMinutes] as [number, number], [0, ends - weekMinutes] as [number, number]];
  });
  const joined: [number, number][] = [];
  for (const [begins, ends] of pieces.toSorted((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last && begins <= last[1]) last[1] = Math.max(last[1], ends);
    else joined.push([begins, ends]);
  }
  const [first, last] = [joined[0], joined.at(-1)];
  // What ends with the week and what begins with it are one window.
  if (first && last && joined.length > 1 && first[0] === 0 && last[1] === weekMinutes) {
    last[1] += first[1];
    joined.shift();
  }
  if (joined.length === 1 && first?.[0] === 0 && first[1] === weekMinutes) return [];
  return joined.map(([start, end]) => ({ start, length: end - start }));
}

/** The windows as the restrictions of a layer, of at most a day each. */
export function restrictionsOf(windows: readonly WeekWindow[]): Restriction[] {
  const parts = merged(windows).flatMap(({ start, length }) => {
    const day = Math.floor(start / dayMinutes);
    const from = start % dayMinutes;
    if (length <= dayMinutes)
      return [{ day, from: clock(from), to: from + length === dayMinutes ? '24:00' : clock((from + length) % dayMinutes) }];
    const end = start + length;
    const days = [{ day, from: clock(from), to: '24:00' }];
    for (let next = day + 1; next * dayMinutes < end; next += 1)
      days.push({ day: next % 7, from: '00:00', to: end >= (next + 1) * dayMinutes ? '24:00' : clock(end % dayMinutes) });
    return days;
  });
  return [...Map.groupBy(parts, ({ from, to }) => `${from} ${to}`).values()].flatMap((some) => {
    const [first] = some;
    return first ? [{ days: some.map(({ day }) => day).toSorted((a, b) => a - b), from: first.from, to: first.to }] : [];
  });
}

/** Whether two sets of windows have a time in common; an empty set is the whole week. */
export function overlap(some: readonly WeekWindow[], others: readonly WeekWindow[]): boolean {
  if (some.length === 0 || others.length === 0) return true;
  const within = (a: WeekWindow, b: WeekWindow): boolean => (((b.start - a.start) % weekMinutes) + weekMinutes) % weekMinutes < a.length;
  return some.some((a) => others.some((b) => within(a, b) || within(b, a)));
}
