/** Compares a metric with its readings at the same hour of past weeks: its distance from their mean in standard deviations. */
import { dayMs, hourMs } from '../../durations.ts';
import type { Fact, RuleEvent, UsualValue } from '../facts.ts';
import type { Baseline, Condition } from '../schema.ts';

/** Which deviations count: those in one direction, or in both. */
export type BaselineSide = 'above' | 'below' | 'away';

const daysOfWeek = 7;

export const defaultBaseline: Baseline = { Weeks: 4, Hour: 'OfWeek' };

/** The readings of a metric in one hour, summed up. */
export interface HourReadings {
  count: number;
  sum: number;
  /** The sum of the squares of the distances of the readings from their mean. */
  squares: number;
}

export function baselineOf({ Baseline: baseline }: Pick<Condition, 'Baseline'>): Baseline {
  return baseline ?? defaultBaseline;
}

/** Returns the starts of the past hours that form the baseline at a time, the latest first. */
export function hoursBefore(at: number, { Weeks, Hour }: Baseline): number[] {
  const hour = Math.floor(at / hourMs) * hourMs;
  const stepMs = Hour === 'OfDay' ? dayMs : daysOfWeek * dayMs;
  return Array.from({ length: Hour === 'OfDay' ? Weeks * daysOfWeek : Weeks }, (_, i) => hour - (i + 1) * stepMs);
}

/** Returns the usual value at a time: mean and standard deviation over the readings of the baseline's hours. */
export function usualOf(at: number, baseline: Baseline, readingsOf: (hour: number) => HourReadings | undefined): UsualValue {
  const perWeek = baseline.Hour === 'OfDay' ? daysOfWeek : 1;
  const weeks = new Set<number>();
  const hours: HourReadings[] = [];
  for (const [i, hour] of hoursBefore(at, baseline).entries()) {
    const readings = readingsOf(hour);
    if (!readings || readings.count === 0) continue;
    hours.push(readings);
    weeks.add(Math.floor(i / perWeek));
  }
  const readings = hours.reduce((sum, { count }) => sum + count, 0);
  if (readings === 0) return { weeks: 0, readings: 0, mean: 0, deviation: 0 };
  const mean = hours.reduce((sum, hour) => sum + hour.sum, 0) / readings;
  const squares = hours.reduce((sum, hour) => sum + hour.squares + hour.count * (hour.sum / hour.count - mean) ** 2, 0);
  return { weeks: weeks.size, readings, mean, deviation: Math.sqrt(squares / readings) };
}

/** The number of weeks that must have readings: three, or all weeks of a shorter baseline. */
export const weeksNeeded = ({ Weeks }: Baseline): number => Math.min(3, Weeks);
export const readingsNeeded = 5;

export function isEnough(usual: UsualValue, baseline: Baseline): boolean {
  return usual.weeks >= weeksNeeded(baseline) && usual.readings >= readingsNeeded;
}

/** The minimum deviation as a share of the mean, so that small changes of a constant metric are not many deviations. */
const minShare = 0.001;
const minDeviation = 1e-9;
/** The maximum number of deviations that `deviationsFrom` returns. */
export const maxDeviations = 1_000;
const lastDigits = 1e9;

/** Returns the distance of a value from the mean in standard deviations; negative on the side opposite to `side`. */
export function deviationsFrom(value: number, { mean, deviation }: UsualValue, side: BaselineSide): number {
  const spread = Math.max(deviation, Math.abs(mean) * minShare, minDeviation);
  const distance = (value - mean) / spread;
  const onSide = side === 'above' ? distance : side === 'below' ? -distance : Math.abs(distance);
  // Drops the last digits, which depend on the order of the additions.
  return Math.round(Math.max(-maxDeviations, Math.min(maxDeviations, onSide)) * lastDigits) / lastDigits;
}

/** The reading that a baseline condition compares, with its usual value. The trace records both. */
export interface BaselineReading extends UsualValue {
  value: number;
}

/** Reads the metric and its usual value; undefined if the event has no reading of the metric or no usual value of it. */
export function baselineReading(event: RuleEvent, metric: string, baseline: Baseline): BaselineReading | undefined {
  const value: unknown = event.packet.message.Metrics?.[metric];
  const usual = typeof value === 'number' ? event.usual?.(metric, baseline) : undefined;
  return usual && { value: value as number, ...usual };
}

type ReadDeviations = (event: RuleEvent, metric: string) => Fact;

const readers = new Map<string, ReadDeviations>();

/**
 * Returns a reader of the number of standard deviations; its value is undefined while there is too little history. Conditions with the same
 * baseline get the same reader, so that they share what it has read of an event.
 */
export function readDeviations(side: BaselineSide, source: Condition): ReadDeviations {
  const baseline = baselineOf(source);
  const key = `${side} ${baseline.Weeks} ${baseline.Hour}`;
  let reader = readers.get(key);
  if (!reader) {
    reader = (event, metric) => {
      const value: unknown = event.packet.message.Metrics?.[metric];
      const usual = typeof value === 'number' ? event.usual?.(metric, baseline) : undefined;
      return usual && isEnough(usual, baseline) ? deviationsFrom(value as number, usual, side) : undefined;
    };
    readers.set(key, reader);
  }
  return reader;
}
