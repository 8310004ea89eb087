/** How many work units were open at the end of each day. */
import { openStates, severities } from '@cloudfit/contract/enums.ts';
import { dayAt } from '../../theme/times.ts';

/** The number of open work units (`n`) of a severity and a state. */
export interface OpenCount {
  severityId: string;
  stateId: string;
  n: number;
}

export type Split = 'severity' | 'state';

export interface Day {
  /** `YYYY-MM-DD`. */
  day: string;
  bySeverity: Readonly<Record<string, number>>;
  byState: Readonly<Record<string, number>>;
}

function sums(rows: readonly OpenCount[], key: 'severityId' | 'stateId', names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, rows.reduce((sum, row) => (row[key] === name ? sum + row.n : sum), 0)]));
}

/** The days up to today as `YYYY-MM-DD`, in the viewer's zone. */
export function daysUntil(today: Date, count: number): string[] {
  const last = Date.parse(dayAt(today));
  return Array.from({ length: count }, (_, at) => new Date(last - (count - 1 - at) * 86_400_000).toISOString().slice(0, 10));
}

/** Returns `days` in their order, each with the counts of the server. */
export function sumsByDay(days: readonly string[], rows: readonly (OpenCount & { day: string })[]): Day[] {
  return days.map((day) => {
    const open = rows.filter((row) => row.day === day);
    return { day, bySeverity: sums(open, 'severityId', severities), byState: sums(open, 'stateId', openStates) };
  });
}

export function totalOf(day: Day): number {
  return Object.values(day.bySeverity).reduce((sum, n) => sum + n, 0);
}

/** Returns the top of the chart's axis: a round number at or above `max` whose half is round, too. */
export function niceTop(max: number): number {
  if (max <= 4) return 4;
  const step = Math.max(2, 10 ** Math.floor(Math.log10(max)) / 5);
  return Math.ceil(max / step) * step;
}
