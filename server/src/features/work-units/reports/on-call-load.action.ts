/** How often each person was told about work units, at night and at weekends. */
import { maxReportGroups, onCallLoad } from '@cloudfit/contract/reports/calls.ts';
import { implement } from '../../../resources/action.ts';
import { reportPeriod, reportTenants, tenantsNamed } from './period.ts';

// A step tells a person once, by however many channels. $1: tenants, null for all; $2: the first day before the period; $3: its first day;
// $4: the day after it.
const loadText = `with page as (
  select n.person_id, n.step_message_id, n.work_unit_id, min(coalesce(n.held_until, n.due, n.created)) as at, max(n.name) as name,
    min(n.created) < $3::timestamp at time zone 'UTC' as is_before
  from notification n
  where n.person_id is not null and n.channel <> '' and n.created >= $2::timestamp at time zone 'UTC' and n.created < $4::timestamp at time zone 'UTC'
    and ($1::uuid[] is null or n.tenant_id = any($1::uuid[]))
  group by 1, 2, 3
), placed as (
  select page.*, coalesce(f.time_zone, 'UTC') as time_zone, page.at at time zone coalesce(f.time_zone, 'UTC') as local
  from page left join notification_preference f using (person_id)
)
select person_id as "personId", max(name) as name, max(time_zone) as "timeZone", is_before as "isBefore", count(*)::int as pages,
  count(*) filter (where extract(hour from local) >= 22 or extract(hour from local) < 7)::int as nights,
  count(*) filter (where extract(isodow from local) >= 6)::int as weekends, count(distinct work_unit_id)::int as units
from placed group by person_id, is_before`;

interface PersonLoad {
  pages: number;
  nights: number;
  weekends: number;
  units: number;
}
type LoadOfPeriod = PersonLoad & { personId: string; name: string; timeZone: string; isBefore: boolean };

const noLoad: PersonLoad = { pages: 0, nights: 0, weekends: 0, units: 0 };

export const onCallLoadAction = implement(onCallLoad, async (ctx, { from, to, ...place }) => {
  const { days, dayAt } = reportPeriod(from, to);
  const rows = await ctx.db.query<LoadOfPeriod>({
    name: 'on-call-load',
    text: loadText,
    values: [reportTenants(ctx, 'WorkUnits', await tenantsNamed(ctx, place)), dayAt(-days), from, dayAt(days)],
  });
  const loadOf = (of: readonly LoadOfPeriod[], isBefore: boolean): PersonLoad => {
    const { pages, nights, weekends, units } = of.find((row) => row.isBefore === isBefore) ?? noLoad;
    return { pages, nights, weekends, units };
  };
  const people = [...Map.groupBy(rows, (row) => row.personId)].map(([personId, of]) => ({
    personId,
    name: of[0]?.name ?? '',
    timeZone: of[0]?.timeZone ?? '',
    now: loadOf(of, false),
    before: loadOf(of, true),
  }));
  const byLoad = people.toSorted((a, b) => b.now.pages - a.now.pages || b.before.pages - a.before.pages || (a.name < b.name ? -1 : 1));
  return { value: byLoad.slice(0, maxReportGroups) };
});
