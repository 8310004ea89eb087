/** Reports of work units, added up from the rows of their days. */
import { maxReportGroups, workUnitReport, type ReportFigures, type ReportGroup } from '@cloudfit/contract/reports/calls.ts';
import type { ReportDimension } from '@cloudfit/contract/reports/dimensions.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { implement } from '../../../resources/action.ts';
import { reportPeriod, reportTenants, sumRanges, tenantsNamed } from './period.ts';
import { percentileOf, unpacked } from './percentiles.rules.ts';

const counts = ['opened', 'open', 'unacknowledged', 'acknowledgeMet', 'acknowledgeBreached', 'resolveMet', 'resolveBreached'] as const;

type DayGroup = Record<(typeof counts)[number], number> & {
  key: string;
  isBefore: boolean;
  acknowledge: Buffer;
  resolve: Buffer;
};

// $1: tenants, null for all; $2: the first day before the period; $3: its last day.
const within = 'day between $2::date and $3::date and ($1::uuid[] is null or tenant_id = any($1::uuid[]))';

const inRange = `on w.day between r.first_day and r.last_day where w.dimension = $8`;

const ofDays = `unnest($2::text[]::date[], $3::text[]::date[], $4::boolean[]) r (first_day, last_day, is_before) join work_unit_day w ${inRange}`;

const ofMonths = `unnest($5::text[]::date[], $6::text[]::date[], $7::boolean[]) r (first_day, last_day, is_before)`;

const ofTenants = '($1::uuid[] is null or w.tenant_id = any($1::uuid[]))';

const summed =
  'key, is_before, opened, open, unacknowledged, acknowledge_seconds, resolve_seconds, acknowledge_met, acknowledge_breached, resolve_met, resolve_breached';

const sums = `key, is_before as "isBefore", sum(opened)::int as opened, sum(open)::int as open, sum(unacknowledged)::int as unacknowledged,
  string_agg(acknowledge_seconds, '') as acknowledge, string_agg(resolve_seconds, '') as resolve,
  sum(acknowledge_met)::int as "acknowledgeMet", sum(acknowledge_breached)::int as "acknowledgeBreached",
  sum(resolve_met)::int as "resolveMet", sum(resolve_breached)::int as "resolveBreached"`;

// Each range of days joins the rows that have its sums. $2 to $4: ranges of days; $5 to $7: of months; $8: the dimension.
const groupsText = `select ${sums} from (
  select ${summed} from ${ofDays} and ${ofTenants}
  union all
  select ${summed} from ${ofMonths} join work_unit_month w ${inRange} and ${ofTenants}
) w group by 1, 2`;

// The same of all tenants: months whose totals are not added up yet are read from the rows of the tenants.
const allGroupsText = `select ${sums} from (
  select ${summed} from ${ofDays} and ${ofTenants}
  union all
  select ${summed} from ${ofMonths} join work_unit_month_total w ${inRange} and not exists (select from work_unit_month_total_due d where d.day = w.day)
  union all
  select ${summed} from work_unit_month_total_due d join work_unit_month w on w.day = d.day join ${ofMonths} ${inRange}
) w group by 1, 2`;

const daysText = `select day::text, sum(opened)::int as opened from work_unit_day where dimension = $4 and ${within} group by day`;

const pendingText = `select count(*)::int as n from (select distinct tenant_id, day from work_unit_day_due where ${within}) due`;

/** Dimensions whose keys the portal names. */
type NamedByKey = 'person' | 'severity' | 'change';

/** The names of groups and of their tenants. $1: keys; $2: the tenants whose rows may be named, null for all. */
const namesText: Record<Exclude<ReportDimension, NamedByKey>, string> = {
  tenant:
    'select tenant_id::text as key, name, null::text as "tenantName" from tenant where tenant_id = any($1::text[]::uuid[]) and ($2::uuid[] is null or tenant_id = any($2::uuid[]))',
  category: `select c.work_unit_category_id::text as key, c.name, t.name as "tenantName" from work_unit_category c join tenant t using (tenant_id)
    where c.work_unit_category_id = any($1::text[]::uuid[]) and ($2::uuid[] is null or c.tenant_id = any($2::uuid[]))`,
  rule: `select r.rule_id::text as key, r.name, t.name as "tenantName" from rule r left join tenant t using (tenant_id)
    where r.rule_id = any($1::text[]::uuid[]) and ($2::uuid[] is null or r.tenant_id is null or r.tenant_id = any($2::uuid[]))`,
  type: 'select work_unit_type_id::text as key, name, null::text as "tenantName" from work_unit_type where work_unit_type_id = any($1::text[]::bigint[]) and ($2::uuid[] is null or true)',
};

async function namesOf(ctx: Ctx, by: ReportDimension, keys: readonly string[], tenants: string[] | null) {
  if (by === 'person' || by === 'severity' || by === 'change') return new Map<string, { name: string; tenantName: string | null }>();
  const rows = await ctx.db.query<{ key: string; name: string; tenantName: string | null }>({
    name: `report-names-${by}`,
    text: namesText[by],
    values: [keys.filter(Boolean), tenants],
  });
  return new Map(rows.map((row) => [row.key, row]));
}

function figuresOf(groups: readonly DayGroup[]): ReportFigures {
  const sum = (name: (typeof counts)[number]) => groups.reduce((total, group) => total + group[name], 0);
  const times = (name: 'acknowledge' | 'resolve') => {
    const reached = unpacked(groups.map((group) => group[name]));
    return {
      units: reached.length,
      medianSeconds: percentileOf(reached, 0.5),
      p90Seconds: percentileOf(reached, 0.9),
      met: sum(`${name}Met`),
      breached: sum(`${name}Breached`),
    };
  };
  return {
    opened: sum('opened'),
    open: sum('open'),
    unacknowledged: sum('unacknowledged'),
    acknowledge: times('acknowledge'),
    resolve: times('resolve'),
  };
}

const compared = (groups: readonly DayGroup[]) => ({
  now: figuresOf(groups.filter((group) => !group.isBefore)),
  before: figuresOf(groups.filter((group) => group.isBefore)),
});

const openedIn = (groups: readonly DayGroup[], isBefore: boolean) =>
  groups.reduce((total, group) => total + (group.isBefore === isBefore ? group.opened : 0), 0);

/** The report of these days with the rights of the caller. */
export async function reportOf(
  ctx: Ctx,
  {
    from,
    to,
    by,
    ...place
  }: { from: string; to: string; by: ReportDimension; tenantId?: string | undefined; tenantGroupId?: string | undefined },
) {
  const { days, dayAt } = reportPeriod(from, to);
  const named = await tenantsNamed(ctx, place);
  const tenants = reportTenants(ctx, 'WorkUnits', named);
  const values = [tenants, dayAt(-days), to];
  const { ofDays, ofMonths } = sumRanges(days, dayAt);
  const of = [tenants, ofDays.from, ofDays.to, ofDays.isBefore, ofMonths.from, ofMonths.to, ofMonths.isBefore, by];
  const rows =
    tenants === null
      ? await ctx.db.query<DayGroup>({ name: 'report-groups-all', text: allGroupsText, values: of })
      : await ctx.db.query<DayGroup>({ name: 'report-groups', text: groupsText, values: of });
  const opened = new Map(
    (
      await ctx.db.query<{ day: string; opened: number }>({
        name: 'report-days',
        text: daysText,
        // Every dimension but that of changes has all units, and that of tenants the fewest rows.
        values: [...values, by === 'change' ? by : 'tenant'],
      })
    ).map((row) => [row.day, row.opened]),
  );
  const [pending] = await ctx.db.query<{ n: number }>({ name: 'report-pending', text: pendingText, values });

  const byKey = [...Map.groupBy(rows, (row) => row.key)].toSorted(
    ([a, inA], [b, inB]) => openedIn(inB, false) - openedIn(inA, false) || openedIn(inB, true) - openedIn(inA, true) || (a < b ? -1 : 1),
  );
  const shown = byKey.slice(0, maxReportGroups);
  const names = await namesOf(
    ctx,
    by,
    shown.map(([key]) => key),
    reportTenants(ctx, by === 'rule' ? 'Rules' : 'WorkUnits', named),
  );
  return {
    from,
    to,
    beforeFrom: dayAt(-days),
    beforeTo: dayAt(-1),
    ...compared(rows),
    days: Array.from({ length: days }, (_, n) => ({
      day: dayAt(n),
      opened: opened.get(dayAt(n)) ?? 0,
      before: opened.get(dayAt(n - days)) ?? 0,
    })),
    groups: shown.map(([key, of]): ReportGroup => ({
      key,
      name: names.get(key)?.name ?? null,
      tenantName: names.get(key)?.tenantName ?? null,
      ...compared(of),
    })),
    groupCount: byKey.length,
    pendingDays: pending?.n ?? 0,
  };
}

export const workUnitReportAction = implement(workUnitReport, reportOf);
