/** How many work units were open at the end of each day: counted back from those open now, by what was created and what changed state since. */
import { severities, type WorkUnitState } from '@cloudfit/contract/enums.ts';
import { openStates } from '../../entities/attention.ts';

/** Open work units now. */
export interface OpenNow {
  severityId: string;
  stateId: string;
  n: number;
}
export interface Created {
  day: string;
  severityId: string;
  n: number;
}
export interface Moved {
  day: string;
  oldValue: string;
  newValue: string;
  workUnit: { severityId: string };
  n: number;
}

export type Split = 'severity' | 'state';

export interface Day {
  /** `YYYY-MM-DD`. */
  day: string;
  bySeverity: Readonly<Record<string, number>>;
  byState: Readonly<Record<string, number>>;
}

const isOpenState = (state: string) => openStates.includes(state as WorkUnitState);

function sums(rows: readonly OpenNow[], key: 'severityId' | 'stateId', names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, rows.reduce((sum, row) => (row[key] === name ? sum + row.n : sum), 0)]));
}

/** The days up to today as `YYYY-MM-DD`, in the viewer's zone. */
export function daysUntil(today: Date, count: number): string[] {
  const two = (n: number) => String(n).padStart(2, '0');
  return Array.from({ length: count }, (_, at) => {
    const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - (count - 1 - at));
    return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
  });
}

/** `days` in their order, the last one being today. A unit counts under the severity that it has now. */
export function openOverTime(
  days: readonly string[],
  now: readonly OpenNow[],
  created: readonly Created[],
  moved: readonly Moved[],
): Day[] {
  const bySeverity = sums(now, 'severityId', severities);
  const byState = sums(now, 'stateId', openStates);
  const add = (to: Record<string, number>, name: string, n: number) => {
    if (name in to) to[name] = Math.max(0, (to[name] ?? 0) + n);
  };
  return days
    .toReversed()
    .map((day) => {
      const end: Day = { day, bySeverity: { ...bySeverity }, byState: { ...byState } };
      for (const one of moved.filter((move) => move.day === day)) {
        const [before, after] = [isOpenState(one.oldValue), isOpenState(one.newValue)];
        add(byState, one.newValue, -one.n);
        add(byState, one.oldValue, one.n);
        if (before !== after) add(bySeverity, one.workUnit.severityId, before ? one.n : -one.n);
      }
      for (const one of created.filter((creation) => creation.day === day)) {
        add(bySeverity, one.severityId, -one.n);
        add(byState, 'New', -one.n);
      }
      return end;
    })
    .toReversed();
}

export function totalOf(day: Day): number {
  return Object.values(day.bySeverity).reduce((sum, n) => sum + n, 0);
}

/** A round number at or above the highest column, that halves evenly. */
export function niceTop(max: number): number {
  if (max <= 4) return 4;
  const step = Math.max(2, 10 ** Math.floor(Math.log10(max)) / 5);
  return Math.ceil(max / step) * step;
}
