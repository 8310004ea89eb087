/** Counts on how many devices each version is installed. Past days are never written again. */
import type { Periodic } from '../../../jobs/schedule.ts';

/** Counts the present day only; the last count of a day stays. */
const counted = `with installed as (
  select d.tenant_id, p.package_id, p.name as package_name, v.version, count(*)::int as devices
  from device_installation i
  join device d on d.device_id = i.device_id and not d.is_deleted
  join package p on p.package_id = i.package_id
  join package_version v on v.package_version_id = i.installed_version_id
  group by 1, 2, 3, 4
), gone as (
  delete from version_day o where o.day = (now() at time zone 'UTC')::date
    and not exists (select from installed f where f.tenant_id = o.tenant_id and f.package_id = o.package_id and f.version = o.version)
)
insert into version_day as o (tenant_id, day, package_id, package_name, version, devices)
select tenant_id, (now() at time zone 'UTC')::date, package_id, package_name, version, devices from installed
on conflict (tenant_id, day, package_id, version) do update set devices = excluded.devices, package_name = excluded.package_name
where (o.devices, o.package_name) is distinct from (excluded.devices, excluded.package_name)`;

export const countVersionsWork: Periodic = {
  name: 'count-versions',
  everyMs: 600_000,
  run: async (db) => void (await db.query({ name: 'count-versions', text: counted })),
};
