/** Installed versions over time. */
import { versionsOverTime } from '@cloudfit/contract/actions/series/versions.ts';
import { requireScope } from '../../../context/ctx.ts';
import { implement } from '../../../resources/action.ts';

const within = `day > (now() at time zone 'UTC')::date - $2::int and ($1::uuid[] is null or tenant_id = any($1::uuid[]))`;

/** Packages by the number of devices on the latest day on which each was counted. */
const packagesText = `select package_id as "packageId", (array_agg(package_name order by day desc))[1] as "packageName"
from (select package_id, package_name, day, sum(devices) as devices from version_day where ${within} group by 1, 2, 3) counted
group by package_id order by (array_agg(devices order by day desc))[1] desc, 2, 1 limit 500`;

// A version that was deleted is sorted below those that exist.
const daysText = `with counted as (
  select day, version, sum(devices)::int as devices from version_day where ${within} and package_id = $3 group by 1, 2
), known as (
  select c.version, max(v.precedence collate "C") as precedence
  from (select distinct version from counted) c left join package_version v on v.package_id = $3 and v.version = c.version group by 1
), ranked as (
  select version, row_number() over (order by precedence desc nulls last, version desc) as place from known
)
select to_char(d.day, 'YYYY-MM-DD') as day, r.version, coalesce(c.devices, 0) as devices
from (select distinct day from counted) d cross join ranked r
left join counted c on c.day = d.day and c.version = r.version order by d.day, r.place`;

export const versionsOverTimeAction = implement(versionsOverTime, async (ctx, { days, tenantId, packageId }) => {
  const scope = requireScope(ctx, 'Devices', 'view');
  const tenants =
    tenantId === undefined ? (scope === 'all' ? null : [...scope]) : scope === 'all' || scope.includes(tenantId) ? [tenantId] : [];
  const packages = await ctx.db.query<{ packageId: string; packageName: string }>({
    name: 'versions-packages',
    text: packagesText,
    values: [tenants, days],
  });
  const chosen = packageId ?? packages[0]?.packageId ?? null;
  const rows = await ctx.db.query<{ day: string; version: string; devices: number }>({
    name: 'versions-days',
    text: daysText,
    values: [tenants, days, chosen],
  });
  const byDay = Map.groupBy(rows, (row) => row.day);
  const [first = []] = byDay.values();
  return {
    packages,
    packageId: chosen,
    versions: first.map((row) => row.version),
    days: [...byDay].map(([day, of]) => ({ day, devices: of.map((row) => row.devices) })),
  };
});
