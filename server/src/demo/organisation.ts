/** Tenants with their subscriptions and locations, and their staff. */
import type { DemoStep } from './step.ts';
import { cities, firstNames, industries, lastNames, places, sites } from './vocabulary.ts';

export const organisation: readonly DemoStep[] = [
  {
    what: 'tenants',
    text: `insert into tenant (tenant_id, name, internal_notification_email_address, assignment_groups, created, modified)
select pg_temp.demo_id('tenant', n), name, 'operations@' || replace(lower(name), ' ', '-') || '.example',
  'Service Desk,Network,Linux,Applications,Storage,Security,Field Service', at, at
from generate_series(1, $1::int) n,
  lateral (select ($2::text[])[1 + (n - 1) % $4::int] || ' ' || ($3::text[])[1 + ((n - 1) / $4::int + (n - 1) * 5) % $5::int]
    || case when current_setting('demo.seed') = '1' then '' else ' ' || current_setting('demo.seed') end as name,
    current_setting('demo.at')::timestamptz - interval '2 years' - n * interval '31 hours' as at) made`,
    values: ({ tenants }) => [tenants, places, industries, places.length, industries.length],
  },
  {
    what: 'subscriptions',
    text: `insert into subscription (subscription_id, tenant_id, name, created, modified)
select pg_temp.demo_id('subscription ' || stage, n), t.tenant_id, stage, t.created, t.created
from generate_series(1, $1::int) n join tenant t on t.tenant_id = pg_temp.demo_id('tenant', n), unnest(array['Production', 'Staging']) stage`,
    values: ({ tenants }) => [tenants],
  },
  {
    what: 'locations',
    text: `insert into location (location_id, tenant_id, name, address1, city, country, coordinates, created, modified)
select pg_temp.demo_id('location', n * 10 + k), t.tenant_id, city ->> 0 || ' ' || pg_temp.demo_pick($3, pg_temp.demo_share('site', n * 10 + k)),
  (1 + floor(pg_temp.demo_share('street', n * 10 + k) * 180))::int || ' Station Road', city ->> 0, city ->> 1, city ->> 2, t.created, t.created
from generate_series(1, $1::int) n join tenant t on t.tenant_id = pg_temp.demo_id('tenant', n), generate_series(0, 2) k,
  lateral (select $2::jsonb -> ((n * 5 + k * 4)::int % jsonb_array_length($2::jsonb)) as city) made`,
    values: ({ tenants }) => [tenants, JSON.stringify(cities), sites],
  },
  {
    what: 'people',
    text: `insert into person (person_id, name, user_name, email, created, modified)
select pg_temp.demo_id('person', n), first || ' ' || last, address, address, at, at
from generate_series(0, $1::int - 1) n,
  lateral (select ($2::text[])[1 + n % 20] as first, ($3::text[])[1 + (n + n / 20) % 20] as last, current_setting('demo.at')::timestamptz - interval '2 years' as at) named,
  lateral (select lower(first || '.' || last) || case when n < 400 and current_setting('demo.seed') = '1' then '' else '.' || current_setting('demo.seed') end || '@example.com' as address) addressed
on conflict do nothing`,
    values: ({ people }) => [people, firstNames, lastNames],
  },
  {
    what: 'grants',
    text: `insert into access_grant (grant_id, person_id, permission_set_id, tenant_id, created)
select pg_temp.demo_id('grant', n), p.person_id, s.permission_set_id, pg_temp.demo_id('tenant', 1 + n % $2::int), p.created
from generate_series(0, $1::int - 1) n join person p on p.person_id = pg_temp.demo_id('person', n)
join permission_set s on s.tenant_id is null and s.name = case when n % 4 = 0 then 'Operator' when n % 7 = 3 then 'Reader' else 'Service Desk' end`,
    values: ({ people, tenants }) => [people, tenants],
  },
  {
    // Whoever may work on units of a tenant: `place` counts them within it.
    text: `create temporary table demo_person as
select g.tenant_id, p.person_id, p.user_name, row_number() over tenants as place, count(*) over (partition by g.tenant_id) as of_tenant
from generate_series(0, $1::int - 1) n join person p on p.person_id = pg_temp.demo_id('person', n)
join access_grant g on g.grant_id = pg_temp.demo_id('grant', n) join permission_set s using (permission_set_id) where s.name <> 'Reader'
window tenants as (partition by g.tenant_id order by n)`,
    values: ({ people }) => [people],
  },
  // Each unit looks up people of its tenant; without the index it would compute the tenant's id for each of them.
  { text: 'create unique index on demo_person (tenant_id, place)' },
  { text: 'analyze demo_person' },
];
