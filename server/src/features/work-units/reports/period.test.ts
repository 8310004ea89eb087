import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dayMs } from '@cloudfit/contract/durations.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { maxReportDays } from '@cloudfit/contract/reports/calls.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { percentileOf, unpacked } from './percentiles.rules.ts';
import { reportPeriod, reportTenants, sumRanges } from './period.ts';

const dayText = (time: number) => new Date(time).toISOString().slice(0, 10);
const dayAfter = (day: string) => dayText(Date.parse(day) + dayMs);
function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = dayAfter(day)) days.push(day);
  return days;
}

it('has its days, and those before them', () => {
  const { days, dayAt } = reportPeriod('2026-02-27', '2026-03-01');
  expect([days, dayAt(0), dayAt(2), dayAt(-1), dayAt(-3)]).toEqual([3, '2026-02-27', '2026-03-01', '2026-02-26', '2026-02-24']);
  expect(reportPeriod('2026-03-01', '2026-03-01').days).toBe(1);
});

it('is refused where it ends before it begins, is too long, or lies where no calendar reaches', () => {
  const problem = (from: string, to: string) => {
    try {
      return reportPeriod(from, to).days;
    } catch (error) {
      return `${(error as { target: string }).target}: ${(error as Error).message}`;
    }
  };
  const lastOf = (from: string, days: number) => dayText(Date.parse(from) + (days - 1) * dayMs);
  expect(problem('2026-03-02', '2026-03-01')).toBe('to: The period ends before it begins.');
  expect(problem('2026-01-01', lastOf('2026-01-01', maxReportDays))).toBe(maxReportDays);
  expect(problem('2026-01-01', lastOf('2026-01-01', maxReportDays + 1))).toBe(`from: A report has at most ${maxReportDays} days.`);
  expect([problem('2000-01-01', '2000-01-01'), problem('2999-12-31', '2999-12-31')]).toEqual([1, 1]);
  expect([problem('1999-12-31', '2000-01-01'), problem('2999-12-31', '3000-01-01')]).toEqual(
    [1, 2].map(() => 'from: A report is of days from 2000 to 2999.'),
  );
});

it('is divided into days and whole months, so that each day of it and of the period before is counted once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_500 }), fc.integer({ min: 1, max: 200 }), (start, length) => {
      const from = dayText(Date.parse('2023-01-01') + start * dayMs);
      const { days, dayAt } = reportPeriod(from, dayText(Date.parse(from) + (length - 1) * dayMs));
      const { ofDays, ofMonths } = sumRanges(days, dayAt);
      for (const isBefore of [true, false]) {
        const covered = (ranges: typeof ofDays) =>
          ranges.from.flatMap((day, n) => (ranges.isBefore[n] === isBefore ? [[day, ranges.to[n] ?? ''] as const] : []));
        const months = covered(ofMonths);
        // A range of months is whole months; as many as there are in the period.
        for (const [first, last] of months) expect([first.slice(-2), dayAfter(last).slice(-2)]).toEqual(['01', '01']);
        const all = daysBetween(dayAt(isBefore ? -days : 0), dayAt(isBefore ? -1 : days - 1));
        expect([...covered(ofDays), ...months].flatMap(([first, last]) => daysBetween(first, last)).toSorted()).toEqual(all);
        const begun = all.filter((day) => day.endsWith('-01') && all.includes(dayText(Date.parse(dayAfterMonth(day)) - dayMs)));
        expect(months.flatMap(([first, last]) => daysBetween(first, last).filter((day) => day.endsWith('-01')))).toEqual(begun);
      }
    }),
  );
});

/** The first day of the next month. */
function dayAfterMonth(day: string): string {
  let next = dayAfter(day);
  while (!next.endsWith('-01')) next = dayAfter(next);
  return next;
}

it('is of the tenants in which the caller may view the area', () => {
  const ctxOf = (permissions: Record<string, readonly string[]>) =>
    ({ permissions: new Map(Object.entries(permissions).map(([tenant, set]) => [tenant, new Set(set)])) }) as unknown as Ctx;
  const [units, rules] = [permission('WorkUnits', 'view'), permission('Rules', 'view')];
  const everywhere = ctxOf({ '*': [units] });
  expect([reportTenants(everywhere, 'WorkUnits', undefined), reportTenants(everywhere, 'WorkUnits', ['t9'])]).toEqual([null, ['t9']]);
  expect([reportTenants(everywhere, 'Rules', undefined), reportTenants(everywhere, 'Rules', ['t9'])]).toEqual([[], []]);
  const some = ctxOf({ t1: [units], t2: [units, rules], t3: [rules] });
  expect(reportTenants(some, 'WorkUnits', undefined)).toEqual(['t1', 't2']);
  expect(reportTenants(some, 'WorkUnits', ['t2', 't3', 't9'])).toEqual(['t2']);
});

it('finds the percentiles that a sort finds', () => {
  const packed = (times: readonly number[]) => {
    const bytes = Buffer.alloc(times.length * 4);
    times.forEach((time, n) => bytes.writeInt32BE(time, n * 4));
    return bytes;
  };
  expect(percentileOf(unpacked([]), 0.5)).toBeNull();
  const times = fc.array(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 2_000_000_000 })), { maxLength: 40 });
  fc.assert(
    fc.property(times, times, fc.constantFrom(0, 0.1, 0.5, 0.9, 1), (one, other, share) => {
      const all = [...one, ...other];
      expect([...unpacked([packed(one), packed(other)])]).toEqual(all);
      const sorted = all.toSorted((a, b) => a - b);
      expect(percentileOf(unpacked([packed(one), packed(other)]), share)).toBe(
        sorted[Math.max(0, Math.ceil(share * all.length) - 1)] ?? null,
      );
    }),
  );
});
