/** Protocols, on-call schedules, communications about the larger events, and control statuses by week. */
import { builtInAction } from '@cloudfit/contract/enums.ts';
import type { DemoStep } from './step.ts';

/** Steps that run before those of the work units, because a unit refers to its protocol. */
export const protocols: readonly DemoStep[] = [
  {
    what: 'protocols',
    text: `insert into protocol (protocol_id, tenant_id, name, description, timer_inverval, manual_actions, created, modified, modified_by)
select pg_temp.demo_id('protocol ' || label, n), t.tenant_id, label, 'Part of the demonstration.', 900, 'Call the person on duty about {PublicWorkUnitId}, then follow {WorkUnitUrl}.', t.created, t.created, 'demo'
from generate_series(1, $1::int) n join tenant t on t.tenant_id = pg_temp.demo_id('tenant', n), unnest(array['Major incident', 'Standard incident']) label`,
    values: ({ tenants }) => [tenants],
  },
  {
    what: 'protocol actions',
    text: `insert into protocol_action (protocol_action_id, protocol_id, tenant_id, action_definition_id, work_unit_event_type_id, parameters, sequence, summary, run_automatically, created, created_by, modified, modified_by)
select pg_temp.demo_id('protocol action ' || p.name || event, n), p.protocol_id, p.tenant_id, $2::uuid, event, $3, event, summary, event <> 4, p.created, 'demo', p.created, 'demo'
from generate_series(1, $1::int) n join protocol p on p.tenant_id = pg_temp.demo_id('tenant', n),
  (values (1, 'Tell the person on duty'), (4, 'Tell the customer that it is solved')) as e (event, summary)`,
    values: ({ tenants }) => [
      tenants,
      builtInAction.email,
      JSON.stringify({ To: 'duty@example.com', Subject: 'Work unit {PublicWorkUnitId}', Body: '{Title}', Template: 'Simple' }),
    ],
  },
];

export const reports: readonly DemoStep[] = [
  {
    what: 'on-call schedules',
    text: `insert into on_call_schedule (on_call_schedule_id, tenant_id, name, description, time_zone, layers, holidays, created, modified, modified_by)
select pg_temp.demo_id('on-call schedule', n), t.tenant_id, 'First response', 'Part of the demonstration.', 'Europe/Berlin',
  jsonb_build_array(
    jsonb_build_object('name', 'Working hours', 'people', people, 'start', start, 'unit', 'Days', 'every', 1, 'holidays', 'Off',
      'restrictions', jsonb_build_array(jsonb_build_object('days', array[1, 2, 3, 4, 5], 'from', '08:00', 'to', '18:00'))),
    jsonb_build_object('name', 'Nights and weekends', 'people', people, 'start', start, 'unit', 'Weeks', 'every', 1, 'holidays', 'Same', 'restrictions', '[]'::jsonb)),
  '[]', t.created, t.created, 'demo'
from generate_series(1, $1::int) n join tenant t on t.tenant_id = pg_temp.demo_id('tenant', n)
cross join lateral (select jsonb_agg(person_id order by user_name) as people from demo_person p where p.tenant_id = t.tenant_id) who
cross join lateral (select to_char(date_trunc('week', current_setting('demo.at')::timestamptz) - interval '8 weeks' + interval '9 hours', 'YYYY-MM-DD"T"HH24:MI') as start) weeks
where people is not null`,
    values: ({ tenants }) => [tenants],
  },
  {
    what: 'communications',
    text: `with drawn as (select u.*, row_number() over (partition by tenant_n order by severity, created desc) as place from demo_unit u where story ->> 'type' = '1')
insert into work_unit_communication (tenant_id, title, service_manager, status, details, event_started, event_engaged, event_mitigated, event_resolved, next_update,
  maximum_impact, impacted_services, created, created_by, modified, user_changed, user_changed_by)
select tenant_id, title, person, case when ended < current_setting('demo.at')::timestamptz then 'Resolved' else 'Investigating' end, story ->> 'note', created, taken,
  case when ended < current_setting('demo.at')::timestamptz then ended - (ended - taken) / 4 end, case when ended < current_setting('demo.at')::timestamptz then ended end,
  current_setting('demo.at')::timestamptz + interval '2 hours', 'Slow answers for all sites.', story ->> 'group', taken, coalesce(person, 'demo'), taken, taken, coalesce(person, 'demo')
from drawn where place <= 4 and taken <= current_setting('demo.at')::timestamptz order by created`,
  },
  {
    what: 'steps of communications',
    text: `insert into work_unit_communication_activity (work_unit_communication_id, tenant_id, activity_type, details, is_customer_facing, is_complete, completed, created, created_by, modified)
select c.work_unit_communication_id, c.tenant_id, kind, said, kind = 'ResolutionActivity', kind = 'ResolutionActivity', case when kind = 'ResolutionActivity' then c.created end, c.created, c.created_by, c.created
from generate_series(1, $1::int) n join work_unit_communication c on c.tenant_id = pg_temp.demo_id('tenant', n),
  (values ('ResolutionActivity', 'The team on duty was called and is looking at it.'), ('TaskActivity', 'Compare with the change of last night.')) as a (kind, said)`,
    values: ({ tenants }) => [tenants],
  },
  {
    what: 'control statuses',
    text: `insert into control_status (id, tenant_id, control_id, check_date, status, notes, created, modified, modified_by)
select pg_temp.demo_id('status ' || c.id, n * 100 + week), pg_temp.demo_id('tenant', n), c.id, monday, pg_temp.demo_pick(array['Compliant', 'Compliant', 'Compliant', 'NonCompliant', 'Poam', 'Exempt'],
  pg_temp.demo_share(c.name, n * 100 + week)), null, monday + interval '9 hours', monday + interval '9 hours', 'demo'
from generate_series(1, least($1::int, 20)) n, generate_series(0, 3) week, control c,
  lateral (select (date_trunc('week', current_setting('demo.at')::timestamptz at time zone 'UTC') - week * interval '7 days') at time zone 'UTC' as monday) weeks
where monday + interval '9 hours' <= current_setting('demo.at')::timestamptz`,
    values: ({ tenants }) => [tenants],
  },
];
