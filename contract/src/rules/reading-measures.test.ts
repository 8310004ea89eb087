import { describe, expect, it } from 'vitest';
import { addReading, readingAt, windowLength, type ReadingMeasure } from './reading-measures.ts';

const hour = windowLength(3_600);

/** Returns the value of the measure after these readings (times in seconds), by default at the time of the last reading. */
function valueOf(measure: ReadingMeasure, readings: readonly [at: number, value: number][], ahead = 0, at?: number): number | undefined {
  let steps: readonly number[] = [];
  for (const [seconds, value] of readings) steps = addReading(measure, steps, value, seconds * 1_000, hour);
  return readingAt(measure, steps, (at ?? readings.at(-1)?.[0] ?? 0) * 1_000, hour, ahead * 1_000);
}

const line = (from: number, step: number, count: number): [number, number][] =>
  Array.from({ length: count }, (_, i) => [i * 60, from + i * step]);

describe('measures of successive readings', () => {
  it('know the difference to the reading before, and nothing of a first one', () => {
    expect(valueOf('change', [[0, 5]])).toBeUndefined();
    expect(valueOf('change', [[0, 5], [60, 3.1]])).toBe(-1.9); // prettier-ignore
  });

  it('know the rate of a counter per second and per minute, and none between readings of one moment', () => {
    expect(valueOf('perSecond', [[0, 100], [60, 400]])).toBe(5); // prettier-ignore
    expect(valueOf('perMinute', [[0, 100], [60, 400]])).toBe(300); // prettier-ignore
    expect(valueOf('perSecond', [[60, 100], [60, 400]])).toBeUndefined(); // prettier-ignore
  });

  it('take a counter that is lower than before as reset', () => {
    expect(valueOf('perSecond', [[0, 9_000], [60, 120]])).toBe(2); // prettier-ignore
  });

  it('find the smallest reading that a share of them does not exceed', () => {
    const readings = line(1, 1, 10).map(([at, value]): [number, number] => [at, value % 2 === 0 ? value : 12 - value]);
    expect(readings.map(([, value]) => value)).toEqual([11, 2, 9, 4, 7, 6, 5, 8, 3, 10]);
    expect((['p50', 'p90', 'p95', 'p99'] as const).map((measure) => valueOf(measure, readings))).toEqual([6, 10, 11, 11]);
  });

  it('forget readings that are out of the window', () => {
    expect(valueOf('p99', [[0, 90], [3_600, 1]])).toBe(1); // prettier-ignore
    expect(valueOf('p99', [[0, 90]], 0, 3_600)).toBeUndefined();
    expect(valueOf('forecast', line(0, 1, 60), 0, 7_200)).toBeUndefined();
  });

  it('keep at most twenty readings of a step, evenly spread', () => {
    let steps: readonly number[] = [];
    for (let i = 0; i < 119; i += 1) steps = addReading('p50', steps, i, i * 1_000, hour);
    expect(steps).toEqual([0, 119, ...Array.from({ length: 15 }, (_, i) => i * 8)]);
    expect(readingAt('p50', steps, 119_000, hour, 0)).toBe(56);
  });

  it('see where the line of the readings leads', () => {
    expect(valueOf('forecast', line(70, 0.1, 60), 4 * 3_600)).toBeCloseTo(70 + 5.9 + 24, 9);
    expect(valueOf('forecast', line(70, 0, 60), 4 * 3_600)).toBe(70);
  });

  it('foretell nothing from readings of less than half of the window', () => {
    expect(valueOf('forecast', line(70, 0.1, 30), 3_600)).toBeUndefined();
    expect(valueOf('forecast', line(70, 0.1, 31), 3_600)).toBeCloseTo(79, 9);
  });
});
