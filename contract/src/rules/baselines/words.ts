/** Says in words what a baseline condition compares, and what it read. */
import type { Baseline, Condition } from '../schema.ts';
import { baselineOf, deviationsFrom, isEnough, readingsNeeded, weeksNeeded, type BaselineSide, type BaselineReading } from './baseline.ts';

const sides: Readonly<Record<BaselineSide, string>> = { above: 'above', below: 'below', away: 'away from' };

/** Returns text such as `the same hour of the last 4 weeks`. */
export function hoursInWords({ Weeks, Hour }: Baseline): string {
  const weeks = Weeks === 1 ? 'the last week' : `the last ${Weeks} weeks`;
  return `the same hour of ${Hour === 'OfDay' ? 'each day of ' : ''}${weeks}`;
}

/** Returns text such as `3 standard deviations above the same hour of the last 4 weeks`. */
export function baselineInWords(side: BaselineSide, source: Pick<Condition, 'RightOperand' | 'Baseline'>): string {
  const count = source.RightOperand ?? '';
  return `${count} standard ${Number(count) === 1 ? 'deviation' : 'deviations'} ${sides[side]} ${hoursInWords(baselineOf(source))}`;
}

const rounded = (value: number): string => String(Number(value.toPrecision(4)));

const counted = (count: number, item: string): string => (count === 1 ? `1 ${item}` : `${count} ${item}s`);

/** Returns text such as `9.1 deviations above the usual 41.2 ± 6.1`. */
export function deviationsInWords(reading: BaselineReading): string {
  const deviations = Math.round(deviationsFrom(reading.value, reading, 'above') * 10) / 10;
  const usual = `the usual ${rounded(reading.mean)} ± ${rounded(reading.deviation)}`;
  return deviations === 0 ? `as ${usual}` : `${counted(Math.abs(deviations), 'deviation')} ${deviations > 0 ? 'above' : 'below'} ${usual}`;
}

/**
 * Returns why the condition cannot hold yet; undefined with enough history. `reading` is undefined or null if the event has
 * no usual value.
 */
export function tooLittle(reading: BaselineReading | undefined | null, source: Pick<Condition, 'Baseline'>): string | undefined {
  const baseline = baselineOf(source);
  if (reading && isEnough(reading, baseline)) return undefined;
  const [weeks, needed] = [reading?.weeks ?? 0, weeksNeeded(baseline)];
  if (weeks >= needed) return `${readingsNeeded} values of this hour are needed, there are ${reading?.readings ?? 0}`;
  const there = weeks === 0 ? 'there is none' : weeks === 1 ? 'there is 1' : `there are ${weeks}`;
  return `${counted(needed, 'week')} of values of this hour ${needed === 1 ? 'is' : 'are'} needed, ${there}`;
}
