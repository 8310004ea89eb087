/** Differences, rates, percentiles and forecasts of the readings of a metric, computed with bounded memory. */

const maxSteps = 30;

/**
 * A window of at most thirty steps with fixed boundaries (multiples of the step since 1970). At a time it contains every packet
 * of the current step and of the `steps` - 1 whole steps before the current step.
 */
export interface WindowLength {
  stepMs: number;
  steps: number;
}

export function windowLength(seconds: number): WindowLength {
  const stepMs = Math.max(1_000, Math.ceil((seconds * 1_000) / maxSteps));
  return { stepMs, steps: Math.ceil((seconds * 1_000) / stepMs) };
}

/** Number of the step that a time is in. */
export function stepOf(at: number, { stepMs }: WindowLength): number {
  return Math.floor(at / stepMs);
}

/** Measures of the last two readings, which have a value only for a packet with the metric. */
const ofTwo = ['change', 'perSecond', 'perMinute'] as const;

const shares = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 } as const;

export type ReadingMeasure = (typeof ofTwo)[number] | keyof typeof shares | 'forecast';

/** Whether the measure has a value only for packets with the metric, and needs no window. */
export const isOfTwoReadings = (measure: string | undefined): boolean => (ofTwo as readonly (string | undefined)[]).includes(measure);

const isShare = (measure: string): measure is keyof typeof shares => Object.hasOwn(shares, measure);

/** Drops the last digits, which depend on the order of the additions. */
const rounded = (value: number): number => Number(value.toPrecision(12));

/** Computes a measure of the last two readings. `steps` contains time, value, time, value. */
function ofLastTwo(measure: ReadingMeasure, steps: readonly number[]): number | undefined {
  if (steps.length < 4) return undefined;
  const [before = 0, earlier = 0, at = 0, value = 0] = steps;
  if (measure === 'change') return rounded(value - earlier);
  if (at <= before) return undefined;
  // A counter that is lower than before was reset, and has counted up from zero since.
  const counted = value >= earlier ? value - earlier : value;
  return rounded((counted * (measure === 'perMinute' ? 60_000 : 1_000)) / (at - before));
}

/** The maximum number of readings that a step keeps, evenly spread, so that windows with many readings stay small. */
const keptPerStep = 20;

/** Returns the stride (1, 2, 4, ...) at which a step with this count of readings keeps readings. */
function strideOf(count: number): number {
  let stride = 1;
  while (Math.ceil(count / stride) > keptPerStep) stride *= 2;
  return stride;
}

/** One step of the memory of a percentile, with the readings that it keeps. */
interface Sample {
  step: number;
  count: number;
  values: number[];
}

/** Reads the memory of a percentile: for each step its number, the count of its readings, and the readings that are kept. */
function samplesIn(steps: readonly number[]): Sample[] {
  const samples: Sample[] = [];
  for (let i = 0; i < steps.length;) {
    const [step = 0, count = 0] = [steps[i], steps[i + 1]];
    const end = i + 2 + Math.ceil(count / strideOf(count));
    samples.push({ step, count, values: steps.slice(i + 2, end) });
    i = end;
  }
  return samples;
}

function addSample(steps: readonly number[], value: number, step: number, { steps: of }: WindowLength): number[] {
  const samples = samplesIn(steps).filter((sample) => sample.step > step - of);
  const last = samples.at(-1);
  if (last?.step === step) {
    const stride = strideOf(last.count + 1);
    if (stride > strideOf(last.count)) last.values = last.values.filter((_, i) => i % 2 === 0);
    if (last.count % stride === 0) last.values.push(value);
    last.count += 1;
  } else samples.push({ step, count: 1, values: [value] });
  return samples.flatMap((sample) => [sample.step, sample.count, ...sample.values]);
}

/** The smallest reading that this share of the readings does not exceed. */
function percentile(share: number, steps: readonly number[], last: number, { steps: of }: WindowLength): number | undefined {
  const weighed = samplesIn(steps)
    .filter(({ step }) => step > last - of && step <= last)
    .flatMap(({ count, values }) => values.map((value) => ({ value, weight: strideOf(count) })))
    .toSorted((a, b) => a.value - b.value);
  const goal = share * weighed.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  return weighed.find(({ weight }) => (sum += weight) >= goal)?.value;
}

/**
 * The count of numbers that a forecast stores per step: step number, count, and the sums of x, y, xy and xx; x is in seconds
 * since the step began.
 */
const lineStride = 6;

function addPoint(steps: readonly number[], value: number, at: number, length: WindowLength): number[] {
  const step = stepOf(at, length);
  const inWindow: number[] = [];
  for (let i = 0; i < steps.length; i += lineStride)
    if ((steps[i] as number) > step - length.steps) inWindow.push(...steps.slice(i, i + lineStride));
  if (inWindow.at(-lineStride) !== step) inWindow.push(step, 0, 0, 0, 0, 0);
  const x = (at - step * length.stepMs) / 1_000;
  const last = inWindow.length - lineStride;
  for (const [i, added] of [1, x, value, x * value, x * x].entries()) inWindow[last + 1 + i] = (inWindow[last + 1 + i] as number) + added;
  return inWindow;
}

/**
 * Returns the value of the least-squares line through the readings `aheadMs` after `at`. Undefined until the readings span half
 * of the window, so that a few readings do not determine a forecast of hours.
 */
function forecast(steps: readonly number[], at: number, length: WindowLength, aheadMs: number): number | undefined {
  const last = stepOf(at, length);
  let [count, sumX, sumY, sumXY, sumXX] = [0, 0, 0, 0, 0];
  let [first, newest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < steps.length; i += lineStride) {
    const [step = 0, n = 0, x = 0, y = 0, xy = 0, xx = 0] = steps.slice(i, i + lineStride);
    if (step <= last - length.steps || step > last) continue;
    first = Math.min(first, step);
    newest = step;
    const offset = (step * length.stepMs - at) / 1_000;
    count += n;
    sumX += x + n * offset;
    sumY += y;
    sumXY += xy + offset * y;
    sumXX += xx + 2 * offset * x + n * offset * offset;
  }
  if (newest - first < length.steps / 2) return undefined;
  const slope = (count * sumXY - sumX * sumY) / (count * sumXX - sumX * sumX);
  return rounded((sumY - slope * sumX) / count + (slope * aheadMs) / 1_000);
}

/**
 * Returns the two latest readings after a new reading; the same object when both equal the new reading, so that nothing is
 * written.
 */
function addToTwo(steps: readonly number[], at: number, value: number): readonly number[] {
  const [at0, value0, at1, value1] = steps;
  const isRepeated = at0 === at && at1 === at && value0 === value && value1 === value;
  return isRepeated ? steps : [...steps.slice(-2), at, value];
}

/** The memory after a reading; the same object when the reading does not change it. */
export function addReading(
  measure: ReadingMeasure,
  steps: readonly number[],
  value: number,
  at: number,
  length: WindowLength,
): readonly number[] {
  if (isShare(measure)) return addSample(steps, value, stepOf(at, length), length);
  return measure === 'forecast' ? addPoint(steps, value, at, length) : addToTwo(steps, at, value);
}

/** The value of the measure at a time; undefined while there are too few readings. */
export function readingAt(
  measure: ReadingMeasure,
  steps: readonly number[],
  at: number,
  length: WindowLength,
  aheadMs: number,
): number | undefined {
  if (isShare(measure)) return percentile(shares[measure], steps, stepOf(at, length), length);
  return measure === 'forecast' ? forecast(steps, at, length, aheadMs) : ofLastTwo(measure, steps);
}
