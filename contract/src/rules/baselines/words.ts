/** Says in words what a baseline condition compares, and what it read. */
import type { ExplanationWords, RuleWords } from '../rule-words.ts';
import type { Baseline, Condition } from '../schema.ts';
import { baselineOf, deviationsFrom, isEnough, readingsNeeded, weeksNeeded, type BaselineSide, type BaselineReading } from './baseline.ts';

/** Returns text such as `the same hour of the last 4 weeks`. */
export const hoursInWords = ({ Weeks, Hour }: Baseline, { texts }: RuleWords): string =>
  Hour === 'OfDay' ? texts.hourOfDay(Weeks) : texts.hourOfWeek(Weeks);

/** Returns text such as `3 standard deviations above the same hour of the last 4 weeks`. */
export function baselineInWords(side: BaselineSide, source: Pick<Condition, 'RightOperand' | 'Baseline'>, words: RuleWords): string {
  return words.texts.baseline[side](source.RightOperand ?? '', hoursInWords(baselineOf(source), words));
}

const rounded = (value: number): string => String(Number(value.toPrecision(4)));

/** Returns text such as `9.1 deviations above the usual 41.2 ± 6.1`. */
export function deviationsInWords(reading: BaselineReading, { texts }: RuleWords): string {
  const deviations = Math.round(deviationsFrom(reading.value, reading, 'above') * 10) / 10;
  const usual = `${rounded(reading.mean)} ± ${rounded(reading.deviation)}`;
  if (deviations === 0) return texts.asUsual(usual);
  return (deviations > 0 ? texts.aboveUsual : texts.belowUsual)(Math.abs(deviations), usual);
}

/**
 * Returns why the condition cannot hold yet; undefined with enough history. `reading` is undefined or null if the event has
 * no usual value.
 */
export function tooLittle(
  reading: BaselineReading | undefined | null,
  source: Pick<Condition, 'Baseline'>,
  { why: { condition: t } }: ExplanationWords,
): string | undefined {
  const baseline = baselineOf(source);
  if (reading && isEnough(reading, baseline)) return undefined;
  const [weeks, needed] = [reading?.weeks ?? 0, weeksNeeded(baseline)];
  return weeks >= needed ? t.fewValues(readingsNeeded, reading?.readings ?? 0) : t.fewWeeks(needed, weeks);
}
