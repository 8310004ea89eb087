/** The days and tenants of a report. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { maxReportDays } from '@cloudfit/contract/reports/calls.ts';
import { tenantGroups } from '@cloudfit/contract/resources/tenant-groups.ts';
import { tenantScopeWith, type Ctx } from '../../../context/ctx.ts';
import { get } from '../../../resources/get.ts';
import { servedOf } from '../../../resources/served.ts';

// Dates beyond have another form in JavaScript or none in PostgreSQL.
const [earliest, latest] = ['2000-01-01', '2999-12-31'];

const dayText = (time: number) => new Date(time).toISOString().slice(0, 10);
const dayBefore = (day: string) => dayText(Date.parse(day) - dayMs);

/** The number of days, and the day with a number: 0 is the first of the period, negative ones are before it. */
export function reportPeriod(from: string, to: string): { days: number; dayAt: (n: number) => string } {
  const first = Date.parse(from);
  const days = Math.round((Date.parse(to) - first) / dayMs) + 1;
  if (from < earliest || to > latest) throw new ApiError('ValidationFailed', 'A report is of days from 2000 to 2999.', { target: 'from' });
  if (days < 1) throw new ApiError('ValidationFailed', 'The period ends before it begins.', { target: 'to' });
  if (days > maxReportDays) throw new ApiError('ValidationFailed', `A report has at most ${maxReportDays} days.`, { target: 'from' });
  return { days, dayAt: (n) => dayText(first + n * dayMs) };
}

/** Days of which one table of sums has the rows: days, or whole months under their first days. */
interface SumRanges {
  from: string[];
  to: string[];
  isBefore: boolean[];
}

/** Divides the period and the one before into whole months and the days that are left. */
export function sumRanges(days: number, dayAt: (n: number) => string): { ofDays: SumRanges; ofMonths: SumRanges } {
  const ofDays: SumRanges = { from: [], to: [], isBefore: [] };
  const ofMonths: SumRanges = { from: [], to: [], isBefore: [] };
  const add = (ranges: SumRanges, from: string, to: string, isBefore: boolean): void => {
    if (from > to) return;
    ranges.from.push(from);
    ranges.to.push(to);
    ranges.isBefore.push(isBefore);
  };
  for (const [start, isBefore] of [
    [-days, true],
    [0, false],
  ] as const) {
    const all = Array.from({ length: days + 1 }, (_, n) => dayAt(start + n));
    const begins = all.filter((day) => day.endsWith('-01'));
    const [first = '', end = ''] = [begins[0], begins.at(-1)];
    const [from = '', to = ''] = [all[0], all.at(-2)];
    if (first === end) add(ofDays, from, to, isBefore);
    else {
      add(ofDays, from, dayBefore(first), isBefore);
      add(ofMonths, first, dayBefore(end), isBefore);
      add(ofDays, end, to, isBefore);
    }
  }
  return { ofDays, ofMonths };
}

/** The tenants that a report is about: one, those of a group, or undefined for all. */
export async function tenantsNamed(
  ctx: Ctx,
  { tenantId, tenantGroupId }: { tenantId?: string | undefined; tenantGroupId?: string | undefined },
): Promise<readonly string[] | undefined> {
  if (tenantGroupId === undefined) return tenantId === undefined ? undefined : [tenantId];
  if (tenantId !== undefined)
    throw new ApiError('ValidationFailed', 'A report is of a tenant or of a group of tenants. Send one of them.', {
      target: 'tenantGroupId',
    });
  return (await get(ctx, servedOf(tenantGroups), tenantGroupId)).tenantIds;
}

/** The tenants of the report in which the caller may view the area; null for all. */
export function reportTenants(ctx: Ctx, area: 'WorkUnits' | 'Rules', named: readonly string[] | undefined): string[] | null {
  const scope = tenantScopeWith(ctx, [permission(area, 'view')]);
  if (scope === 'all') return named === undefined ? null : [...named];
  return named === undefined ? [...scope] : named.filter((id) => scope.includes(id));
}
