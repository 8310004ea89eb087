/** Installed packages in several versions and their history, operations and their results, tokens, and pending devices. */
import type { DemoStep } from './step.ts';

/** The packages that `demo` uploads beforehand, oldest version first. */
export const demoPackages = [
  { name: 'Backup age', operation: 'Hours since the last backup', versions: ['1.2.0', '1.3.0', '2.0.0'] },
  { name: 'Open files', operation: 'Open files', versions: ['0.9.0', '1.0.0'] },
] as const;

const packageNames = demoPackages.map(({ name }) => name);

/** SQL: the versions of the demo's packages; `place` 1 is the newest version of a package. */
const versions = `(select p.package_id, p.name as package_name, v.package_version_id, row_number() over (partition by p.package_id order by v.precedence desc)::int as place,
  (count(*) over (partition by p.package_id))::int as of_package from package p join package_version v on v.package_id = p.package_id where p.tenant_id is null and p.name = any($1::text[]))`;

const operationOf = `join operation o on o.package_id = p.package_id and not o.is_deleted`;

export const software: readonly DemoStep[] = [
  {
    // Of the installations, 66 % have the newest version and 3 % were rolled back.
    what: 'installations',
    text: `insert into device_installation (device_installation_id, tenant_id, device_id, package_id, package_version_id, installed_version_id, install_status, status_detail, wish_number, status_changed, created, modified)
select pg_temp.demo_id('installation ' || w.package_name, d.n), d.tenant_id, d.device_id, w.package_id,
  case when kind = 'failed' then newest.package_version_id else w.package_version_id end, w.package_version_id,
  case when kind = 'failed' then 'RolledBack' else 'Installed' end,
  case when kind = 'failed' then 'The check ended with exit code 1: /etc/backup.conf: no such file. The version before is in use again.' end, 1, at, at, at
from demo_device d cross join (select distinct package_id, package_name, of_package from ${versions} v) every cross join
  lateral (select pg_temp.demo_share('version ' || every.package_name, d.n) as share) drawn cross join
  lateral (select case when share < 0.66 or every.of_package = 1 then 1 else least(every.of_package, 2 + floor((share - 0.66) * 5)::int) end as place,
    case when share > 0.97 then 'failed' else 'installed' end as kind, current_setting('demo.at')::timestamptz - interval '40 days' * share as at) chosen
  join ${versions} w on w.package_id = every.package_id and w.place = chosen.place
  join ${versions} newest on newest.package_id = every.package_id and newest.place = 1
where pg_temp.demo_share('has ' || every.package_name, d.n) < 0.8`,
    values: () => [packageNames],
  },
  {
    // Before the day of the installation, a device counts for the previous version.
    what: 'counts of versions',
    text: `insert into version_day (tenant_id, day, package_id, package_name, version, devices)
select d.tenant_id, day::date, i.package_id, now.package_name, case when i.created <= day or older.version is null then now.version else older.version end, count(*)::int
from demo_device d join device_installation i on i.device_id = d.device_id
  join (select v.*, o.version from ${versions} v join package_version o using (package_version_id)) now on now.package_version_id = i.installed_version_id
  left join (select v.*, o.version from ${versions} v join package_version o using (package_version_id)) older on older.package_id = now.package_id and older.place = now.place + 1
  cross join generate_series(date_trunc('day', current_setting('demo.at')::timestamptz at time zone 'UTC') - interval '56 days', current_setting('demo.at')::timestamptz at time zone 'UTC' - interval '1 day', interval '1 day') day
group by 1, 2, 3, 4, 5`,
    values: () => [packageNames],
  },
  {
    what: 'operations of devices',
    text: `insert into device_operation (device_operation_id, tenant_id, device_id, operation_id, label, frequency_type_id, interval, enabled, operation_complete, operation_type, package_name, package_type, package_executable_type, parameters, created, modified)
select pg_temp.demo_id('operation ' || p.name, d.n), d.tenant_id, d.device_id, o.operation_id, o.name, 1, 300, true, true, 'Metric', p.name, 'Watcher', 'Script', coalesce((select jsonb_agg(jsonb_build_object('Name', x ->> 'Name', 'Source', x -> 'Source', 'Value', x ->> 'DefaultValue')) from jsonb_array_elements(o.parameter_definitions) x), '[]'), i.created, i.created
from demo_device d join device_installation i on i.device_id = d.device_id join package p on p.package_id = i.package_id and p.tenant_id is null and p.name = any($1::text[]) ${operationOf}`,
    values: () => [packageNames],
  },
  {
    what: 'results of operations',
    text: `insert into packet (tenant_id, entity_id, timestamp, received_timestamp, packet_id, message)
select o.tenant_id, o.device_operation_id, at, at, md5(o.device_operation_id::text || at::text)::uuid, jsonb_build_object('Value', value, 'States', jsonb_build_object('Result', 'Success'))
from demo_device d join device_operation o on o.device_id = d.device_id and o.package_name = any($1::text[]),
  generate_series(date_trunc('hour', current_setting('demo.at')::timestamptz) - interval '2 days', current_setting('demo.at')::timestamptz, interval '1 hour') at,
  lateral (select case when o.package_name = 'Backup age' then round((extract(hour from at) + pg_temp.demo_share('backup', d.n) * 3)::numeric, 1) else round((2000 + 900 * sin(extract(hour from at) / 4) + 400 * pg_temp.demo_share('files', d.n))::numeric) end as value) measured`,
    values: () => [packageNames],
  },
  {
    what: 'latest packets',
    text: `insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message)
select distinct on (p.entity_id) p.entity_id, p.tenant_id, p.timestamp, p.received_timestamp, p.packet_id, p.message
from demo_device d join device_operation o on o.device_id = d.device_id and o.package_name = any($1::text[]) join packet p on p.entity_id = o.device_operation_id order by p.entity_id, p.timestamp desc`,
    values: () => [packageNames],
  },
  {
    // These are hashes of texts that do not have the form of a token, so they give no access.
    what: 'tokens',
    text: `insert into token_grant (token_grant_id, tenant_id, name, description, token_hash, token_hint, expires_on, last_used, created)
select pg_temp.demo_id('token ' || label, n), t.tenant_id, label, 'Part of the demonstration.', sha256(convert_to('demo ' || label || t.tenant_id::text || current_setting('demo.seed'), 'utf8')), 'demo',
  current_setting('demo.at')::timestamptz + days * interval '1 day', current_setting('demo.at')::timestamptz - interval '40 minutes' * n, current_setting('demo.at')::timestamptz - interval '90 days'
from generate_series(1, $1::int) n join tenant t on t.tenant_id = pg_temp.demo_id('tenant', n), (values ('Machines of the sites', 200), ('Machines of the workshop', 12)) as k (label, days)`,
    values: ({ tenants }) => [tenants],
  },
  {
    what: 'pending devices',
    text: `insert into pending_device (pending_device_id, tenant_id, machine_key, machine_name, operating_system, architecture, ip_address, last_ping, created, modified)
select pg_temp.demo_id('pending', n * 10 + k), t.tenant_id, pg_temp.demo_id('machine', n * 10 + k), pg_temp.demo_pick(array['till', 'pump', 'web', 'gw'], pg_temp.demo_share('pending', n * 10 + k)) || '-new-' || k,
  case when k = 1 then 'Debian GNU/Linux 12 (bookworm)' else 'Windows Server 2022 Standard' end, 'x64', '192.0.2.' || (10 * k + n % 10), at, at - interval '20 minutes', at
from generate_series(1, $1::int) n join tenant t on t.tenant_id = pg_temp.demo_id('tenant', n), generate_series(1, 2) k, lateral (select current_setting('demo.at')::timestamptz - interval '1 minute' * k as at) timed`,
    values: ({ tenants }) => [tenants],
  },
];
