/** Counts of installed versions as the columns of a table and the series of a chart. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import type { ChartSeries, ValueBucket } from '../../components/chart/points.ts';

export interface VersionCounts {
  packages: readonly { packageId: string; packageName: string }[];
  packageId: string | null;
  versions: readonly string[];
  /** Devices of each version, in the order of `versions`. */
  days: readonly { day: string; devices: readonly number[] }[];
}

/**
 * Number of versions with a line of their own if there are more than seven: a seventh line adds up the others, because more
 * lines could not be distinguished.
 */
const shownVersions = 6;

const sum = (values: readonly number[]) => values.reduce((total, n) => total + n, 0);
/** Returns midnight in the viewer's time zone, so that the axis names the day that was counted. */
export const timeOf = (day: string): number => new Date(`${day}T00:00:00`).getTime();

/** The Monday of the week of a day. */
function weekOf(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return new Date(date.getTime() - ((date.getUTCDay() + 6) % 7) * dayMs).toISOString().slice(0, 10);
}

/** The last counted day of each week, under its Monday. */
export function byWeek(days: VersionCounts['days']): VersionCounts['days'] {
  return [...new Map(days.map(({ day, devices }) => [weekOf(day), devices]))].map(([day, devices]) => ({ day, devices }));
}

/** Returns the columns of the table: up to seven versions, or the six with the highest counts and the sum of the others. */
export function columnsOf({ versions, days }: Pick<VersionCounts, 'versions' | 'days'>, others: (count: number) => string) {
  if (versions.length <= shownVersions + 1) return { names: versions, days };
  const maxima = versions.map((_, at) => Math.max(0, ...days.map(({ devices }) => devices[at] ?? 0)));
  const shown = versions
    .map((_, at) => at)
    .toSorted((a, b) => (maxima[b] ?? 0) - (maxima[a] ?? 0) || a - b)
    .slice(0, shownVersions)
    .toSorted((a, b) => a - b);
  return {
    names: [...shown.map((at) => versions[at] ?? ''), others(versions.length - shown.length)],
    days: days.map(({ day, devices }) => {
      const counts = shown.map((at) => devices[at] ?? 0);
      return { day, devices: [...counts, sum(devices) - sum(counts)] };
    }),
  };
}

/** Each count as a share of the day's devices, in percent. */
export function shares(days: VersionCounts['days']): VersionCounts['days'] {
  return days.map(({ day, devices }) => {
    const all = sum(devices);
    return { day, devices: devices.map((n) => (all === 0 ? 0 : (n * 100) / all)) };
  });
}

/** A line for each version. A day or week that was not counted is a gap. */
export function seriesOf(names: readonly string[], days: VersionCounts['days'], isShare: boolean, stepDays: number): ChartSeries[] {
  return names.map((label, at) => ({
    id: label,
    label,
    unit: isShare ? 'percent' : 'none',
    gap: stepDays * dayMs * 1.5,
    buckets: days.map(({ day, devices }): ValueBucket => {
      const value = devices[at] ?? 0;
      return [timeOf(day), value, value, value, value, 1];
    }),
  }));
}
