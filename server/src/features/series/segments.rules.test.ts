/** How a range is divided between pages and packets, and which step a call uses. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minuteMs, hourMs, dayMs } from '@cloudfit/contract/durations.ts';
import { levelFor, segmentsOf } from './segments.rules.ts';
import { bucketsIn, shortestStep, stepFor } from './step.rules.ts';

const slotMs = { packets: 1, minutes: minuteMs, tens: 10 * minuteMs, hours: hourMs, days: dayMs } as const;
const years = 365 * 5 * dayMs;

describe('segments', () => {
  it('cover the range once, in order, in whole slots of pages that are complete and fit into a bucket', () => {
    fc.assert(
      fc.property(
        fc.nat(years),
        fc.integer({ min: 1, max: 40 * dayMs }),
        fc.integer({ min: 1, max: 2_000 }),
        fc.option(fc.nat(years)),
        fc.array(fc.nat(40 * 24), { maxLength: 10 }),
        (from, length, points, closed, dueHours) => {
          const to = from + length;
          const step = stepFor({ from, to, points, shortest: 1_000 });
          const closedUntil = closed === null ? null : Math.floor(closed / hourMs) * hourMs;
          const due = [...new Set(dueHours)].toSorted((a, b) => a - b).map((hour) => (Math.floor(from / hourMs) + hour) * hourMs);
          const segments = segmentsOf({ from, to, step }, { closedUntil, due });
          expect(segments.map((segment) => segment.from)).toEqual([from, ...segments.slice(0, -1).map((segment) => segment.to)]);
          expect(segments.at(-1)?.to).toBe(to);
          for (const { level, from, to } of segments) {
            expect(from).toBeLessThan(to);
            expect([from % slotMs[level], to % slotMs[level], step % slotMs[level === 'packets' ? 'packets' : level]]).toEqual([0, 0, 0]);
            if (level === 'packets') continue;
            expect(to).toBeLessThanOrEqual(closedUntil ?? 0);
            expect(due.filter((hour) => hour < to && hour + hourMs > from)).toEqual([]);
          }
        },
      ),
    );
  });

  it('read packets at the edges of a minute alone', () => {
    const range = { from: 10 * hourMs + 30_500, to: 14 * hourMs + 90_000, step: 2 * hourMs };
    expect(segmentsOf(range, { closedUntil: 15 * hourMs, due: [] }).map(({ level, from, to }) => [level, to - from])).toEqual([
      ['packets', 29_500],
      ['minutes', 59 * minuteMs],
      ['hours', 3 * hourMs],
      ['minutes', minuteMs],
      ['packets', 30_000],
    ]);
  });

  it('know the longest slots of a step', () => {
    expect([30_000, 2 * minuteMs, 20 * minuteMs, 3 * hourMs, 7 * dayMs].map(levelFor)).toEqual([
      'packets',
      'minutes',
      'tens',
      'hours',
      'days',
    ]);
  });
});

describe('the step', () => {
  it('is the shortest with which the points suffice', () => {
    fc.assert(
      fc.property(fc.nat(years), fc.integer({ min: 1, max: years }), fc.integer({ min: 2, max: 2_000 }), (from, length, points) => {
        const step = stepFor({ from, to: from + length, points, shortest: 1_000 });
        expect(bucketsIn(from, from + length, step)).toBeLessThanOrEqual(points);
      }),
    );
    const of = (length: number, points: number) => stepFor({ from: 0, to: length, points, shortest: 1_000 });
    expect([of(hourMs, 60), of(hourMs, 59), of(30 * dayMs, 500), of(3_650 * dayMs, 10)]).toEqual([
      minuteMs,
      2 * minuteMs,
      2 * hourMs,
      400 * dayMs,
    ]);
  });

  it('is no shorter than what is stored of that age', () => {
    const retention = { packetDays: 10, minuteDays: 30, hourDays: 700 };
    expect([9, 11, 31, 701].map((days) => shortestStep(days * dayMs, retention))).toEqual([1_000, minuteMs, hourMs, dayMs]);
    expect(stepFor({ from: 0, to: hourMs, points: 60, shortest: hourMs })).toBe(hourMs);
  });
});
