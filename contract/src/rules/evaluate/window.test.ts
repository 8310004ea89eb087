import { describe, expect, it } from 'vitest';
import { stepOf, windowLength } from '../reading-measures.ts';
import { addToWindow, measured, totalsAt, type TotalsMeasure, type WindowMemory } from './window.ts';

const halfMinute = windowLength(30);

/** Returns the memory after values at these times, in milliseconds. */
function memoryOf(measure: TotalsMeasure, ...values: [at: number, value: number | undefined][]): WindowMemory | undefined {
  let memory: WindowMemory | undefined;
  for (const [at, value] of values) memory = addToWindow(memory, value, at, halfMinute, measure);
  return memory;
}

describe('the steps of a window', () => {
  it('are thirty at most, of a second at least', () => {
    expect(windowLength(30)).toEqual({ stepMs: 1_000, steps: 30 });
    expect(windowLength(10)).toEqual({ stepMs: 1_000, steps: 10 });
    expect(windowLength(31)).toEqual({ stepMs: 1_034, steps: 30 });
    expect(windowLength(300)).toEqual({ stepMs: 10_000, steps: 30 });
    expect([999, 1_000, 1_999].map((at) => stepOf(at, halfMinute))).toEqual([0, 1, 1]);
  });

  it('add up what comes within one, and keep the extreme that is asked for', () => {
    const values: [number, number][] = [
      [1_000, 5],
      [1_400, 2],
      [1_999, 9],
      [2_000, 1],
    ];
    expect(memoryOf('maximum', ...values)).toEqual({ since: 1_000, steps: [1, 3, 16, 9, 2, 1, 1, 1] });
    expect(memoryOf('minimum', ...values)?.steps).toEqual([1, 3, 16, 2, 2, 1, 1, 1]);
  });

  it('begin with the first packet, also one that says nothing of the metric', () => {
    expect(memoryOf('sum', [500, undefined])).toEqual({ since: 500, steps: [] });
    expect(memoryOf('sum', [500, undefined], [1_500, 3])).toEqual({ since: 500, steps: [1, 1, 3, 3] });
  });

  it('are forgotten once they are out of the window', () => {
    expect(memoryOf('sum', [0, 1], [29_999, 2])?.steps).toEqual([0, 1, 1, 1, 29, 1, 2, 2]);
    expect(memoryOf('sum', [0, 1], [30_000, 2])?.steps).toEqual([30, 1, 2, 2]);
  });
});

describe('the totals of a window', () => {
  const memory = memoryOf('maximum', [0, 4], [10_000, 6], [10_500, 2]);

  it('are those of the steps that it holds at a time', () => {
    expect(totalsAt(memory, 10_900, halfMinute)).toEqual({ count: 3, sum: 12, min: 4, max: 6 });
    expect(totalsAt(memory, 29_999, halfMinute).count).toBe(3);
    expect(totalsAt(memory, 30_000, halfMinute).count).toBe(2);
    expect(totalsAt(memory, 40_000, halfMinute).count).toBe(0);
    expect(totalsAt(memory, 9_999, halfMinute).count).toBe(1);
    expect(totalsAt(undefined, 0, halfMinute).count).toBe(0);
  });

  it('are compared by what is measured', () => {
    const totals = { count: 4, sum: 12, min: 1, max: 7 };
    const measures: TotalsMeasure[] = ['count', 'average', 'minimum', 'maximum', 'sum'];
    expect(measures.map((measure) => measured(measure, totals))).toEqual([4, 3, 1, 7, 12]);
    const nothing = [0, undefined, undefined, undefined, undefined];
    expect(measures.map((measure) => measured(measure, undefined))).toEqual(nothing);
    expect(measures.map((measure) => measured(measure, { count: 0, sum: 0, min: 0, max: 0 }))).toEqual(nothing);
  });
});
