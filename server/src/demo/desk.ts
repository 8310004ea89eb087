/** Work units with a realistic history: opened in working hours, acknowledged, resolved or stuck, with notes. */
import { stories } from './stories.ts';
import type { DemoStep } from './step.ts';

/** Hours at which units are opened; an hour occurs as often as its share of the units requires. */
const hours = [
  0, 3, 5, 6, 7, 7, 8, 8, 8, 9, 9, 9, 9, 10, 10, 10, 10, 11, 11, 11, 12, 13, 13, 14, 14, 14, 15, 15, 15, 16, 16, 17, 18, 20, 22,
].map(String);

const entry = (when: string, kind: string, detail: string, by: string, extra = 'null, null, null') =>
  `select work_unit_id, tenant_id, ${detail}, ${kind}, ${extra}, ${when}, ${by} from demo_unit where ${when} <= current_setting('demo.at')::timestamptz`;

/** SQL: the state of a unit on which somebody works. */
const worked = `case when stuck then 'OnHold' when n % 9 = 0 then 'Mitigated' else 'InProgress' end`;
const ending = `case when canceled then 'Canceled' else 'Resolved' end`;
const move = (from: string, to: string) => `'State changed from ' || ${from} || ' to ' || ${to} || '.'`;

/** One category per group and tenant, with two subcategories each. */
const categories: readonly DemoStep[] = [
  {
    what: 'categories',
    text: `insert into work_unit_category (work_unit_category_id, tenant_id, work_unit_type_id, name, is_visible_in_resolution_center, created, modified)
select pg_temp.demo_id('category ' || label, n), t.tenant_id, case when label in ('Service Desk', 'Field Service') then 3 else 1 end, label, label in ('Service Desk', 'Field Service', 'Applications'), t.created, t.created
from generate_series(1, $1::int) n join tenant t on t.tenant_id = pg_temp.demo_id('tenant', n), unnest($2::text[]) label`,
    values: ({ tenants }) => [tenants, [...new Set(stories.map((story) => story.group))]],
  },
  {
    what: 'subcategories',
    text: `insert into work_unit_subcategory (work_unit_subcategory_id, work_unit_category_id, tenant_id, name, created, modified)
select pg_temp.demo_id('subcategory ' || c.name || label, n), c.work_unit_category_id, c.tenant_id, label, c.created, c.created
from generate_series(1, $1::int) n join work_unit_category c on c.tenant_id = pg_temp.demo_id('tenant', n), unnest(array['Fault', 'Question']) label`,
    values: ({ tenants }) => [tenants],
  },
];

export const desk: readonly DemoStep[] = [
  ...categories,
  {
    // `offset 0` prevents PostgreSQL from inlining each subquery into the queries that use it, which would evaluate it a hundred times.
    text: `create temporary table demo_draft as
select n, tenant_n, story, d.device_id, d.name as device, pg_temp.demo_id('tenant', tenant_n) as tenant_id, created, taken, ended, worker.user_name as person, approver.user_name as approver, canceled, stuck,
  null::uuid as rule_match_id, greatest(0, least(4, (story ->> 'severity')::int + floor(pg_temp.demo_share('severity', n) * 3)::int - 1)) as severity
from (select n, $3::jsonb -> floor(jsonb_array_length($3::jsonb) * pg_temp.demo_share('story', n))::int as story,
    case when n <= $2::int then n else 1 + floor($2::int * power(pg_temp.demo_share('unit tenant', n), 1.7))::int end as tenant_n,
    pg_temp.demo_share('canceled', n) < 0.03 as canceled, pg_temp.demo_share('stuck', n) < 0.02 as stuck
  from generate_series(1, $1::int) n offset 0) drawn,
lateral (select date_trunc('day', current_setting('demo.at')::timestamptz) - floor($4::int * pg_temp.demo_share('day', n)) * interval '1 day' as day offset 0) days,
lateral (select case when extract(isodow from day) > 5 and pg_temp.demo_share('weekend', n) < 0.7 then day - interval '2 days' else day end
  + pg_temp.demo_pick($5, pg_temp.demo_share('hour', n))::int * interval '1 hour' + pg_temp.demo_share('minute', n) * interval '1 hour' as at offset 0) hours,
-- Each tenant has a unit that nobody has taken yet, so that the list does not begin empty.
lateral (select case when n <= $2::int then current_setting('demo.at')::timestamptz - interval '1 minute' * (4 + 5 * (n % 4))
  when at > current_setting('demo.at')::timestamptz - interval '5 minutes' then at - interval '1 day' else at end as created offset 0) opened,
lateral (select created + case when n <= $2::int then interval '45 minutes' else interval '2 minutes' end + pg_temp.demo_wait('40 minutes', pg_temp.demo_share('taken', n)) as taken offset 0) acknowledged,
lateral (select case when stuck then 'infinity' else taken + pg_temp.demo_wait((story ->> 'hours')::float8 * interval '1 hour', pg_temp.demo_share('ended', n)) end as ended offset 0) solved
left join lateral (select device_id, name from demo_device where tenant_n = drawn.tenant_n
  and place = (1 + floor(pg_temp.demo_share('unit device', drawn.n) * (select of_tenant from demo_device where tenant_n = drawn.tenant_n and place = 1)))::bigint) d on true
left join lateral (select tenant_id, of_tenant, 1 + floor(of_tenant * pg_temp.demo_share('assignee', drawn.n))::bigint as place from demo_person
  where tenant_id = pg_temp.demo_id('tenant', drawn.tenant_n) and place = 1 offset 0) chosen on true
left join demo_person worker on worker.tenant_id = chosen.tenant_id and worker.place = chosen.place
left join demo_person approver on approver.tenant_id = chosen.tenant_id and approver.place = 1 + chosen.place % chosen.of_tenant`,
    values: ({ workUnits, tenants, unitDays }) => [workUnits, tenants, JSON.stringify(stories), unitDays, hours],
  },
  {
    // A unit that a rule opened begins with its match, as long as there is one: both are numbered for each tenant and rule.
    text: `with unit as (select n, tenant_id, m.rule, row_number() over (partition by tenant_id, m.rule order by created desc, n) as place
    from demo_draft join (select distinct rule from demo_match) m on starts_with(story ->> 'title', m.rule || ':') or starts_with(story ->> 'title', m.rule || ' on ')),
  match as (select *, row_number() over (partition by tenant_id, rule order by first_match desc, match_n) as place from demo_match)
update demo_draft u set device_id = match.device_id, device = match.device, rule_match_id = pg_temp.demo_id('match', match_n),
  created = first_match, taken = first_match + (taken - created), ended = first_match + (ended - created)
from unit join match using (tenant_id, rule, place) where unit.n = u.n and unit.n > $1::int`,
    values: ({ tenants }) => [tenants],
  },
  {
    // Ids are assigned in the order of creation, so that public numbers grow with time.
    text: `create temporary table demo_unit as
select nextval(pg_get_serial_sequence('work_unit', 'work_unit_id')) as work_unit_id, nextval('public_work_unit_id') as public_work_unit_id, ordered.*
from (select *, replace(story ->> 'title', '%s', coalesce(device, 'the main site')) as title from demo_draft order by created, n) ordered`,
  },
  { text: 'drop table demo_draft' },
  { text: 'analyze demo_unit' },
  {
    what: 'work units',
    text: `insert into work_unit (work_unit_id, public_work_unit_id, tenant_id, title, description, resolution, severity_id, state_id, assigned_to, assignment_group, source,
  work_unit_type_id, stake_holder_full_name, stake_holder_email_address, work_unit_category_id, effort, implementation_plan, rollback_plan, affected_resources, environment, expected_cfs_alerts,
  planned_start_time, planned_finish_time, approver1, approved1_by, is_approver_required, created, created_by, modified, modified_by, resolved, protocol_id, rule_id, hold_reason)
overriding system value
select work_unit_id, public_work_unit_id, tenant_id, title, story ->> 'description',
  case when is_ended and not canceled or is_change then story ->> 'resolution' end, 'Sev' || severity,
  case when ended + interval '3 days' <= now_at and not canceled then 'Closed' when is_ended and canceled then 'Canceled' when is_ended then 'Resolved' when taken > now_at then 'New'
    when stuck then 'OnHold' when now_at - taken < interval '30 minutes' then 'Acknowledged' when n % 9 = 0 then 'Mitigated' else 'InProgress' end,
  case when taken <= now_at then person end, story ->> 'group', case when by_rule then null else pg_temp.demo_pick(array['Phone', 'Email', 'Email', 'Chat'], pg_temp.demo_share('source', n)) end,
  (story ->> 'type')::bigint, case when not by_rule then requester.name end, case when not by_rule then requester.email end,
  (select work_unit_category_id from work_unit_category c where c.work_unit_category_id = pg_temp.demo_id('category ' || (story ->> 'group'), tenant_n)),
  (array[1, 2, 3, 5, 8])[1 + n % 5],
  case when is_change then 'Announce, take a snapshot, apply, run the checks, watch for an hour.' end, case when is_change then 'Return to the snapshot; eight minutes.' end,
  case when is_change then title end, case when is_change then 'Production' end, case when is_change then 'Heartbeats pause for up to ten minutes.' end,
  case when is_change then taken + interval '2 days' end, case when is_change then taken + interval '2 days 1 hour' end, case when is_change then approver end, case when is_change and taken <= now_at and not (is_ended and canceled) then approver end, false,
  created, coalesce(case when by_rule then 'Rule ' || split_part(title, ':', 1) end, requester.email), least(now_at, greatest(taken, created)), coalesce(person, 'demo'), case when is_ended then ended end,
  case when is_incident then pg_temp.demo_id('protocol ' || case when severity <= 1 then 'Major incident' else 'Standard incident' end, tenant_n) end, (select m.rule_id from rule_match m where m.rule_match_id = demo_unit.rule_match_id),
  case when stuck and taken <= now_at and not is_ended then (array['Customer', 'Supplier', 'Change'])[1 + n % 3] end
from demo_unit,
  lateral (select current_setting('demo.at')::timestamptz as now_at) clock,
  lateral (select ended <= now_at as is_ended, (story ->> 'type') = '1' as is_incident, (story ->> 'type') = '2' as is_change, coalesce((story ->> 'byRule')::boolean, false) as by_rule) traits
  left join lateral (select name, email from access_grant join person using (person_id) where tenant_id = demo_unit.tenant_id
    order by pg_temp.demo_share('requester', n), person_id offset floor((select count(*) from access_grant g where g.tenant_id = demo_unit.tenant_id) * pg_temp.demo_share('requester', n)) limit 1) requester on true`,
  },
  { text: 'select settle_searches()' },
  {
    what: 'relations',
    text: `insert into work_unit_relation (work_unit_id, tenant_id, reference_type, reference_id, created, created_by)
select work_unit_id, tenant_id, 'Device', device_id, created, 'demo' from demo_unit where device_id is not null and (story ->> 'byRule')::boolean`,
  },
  {
    what: 'relations',
    text: `insert into work_unit_relation (work_unit_id, tenant_id, reference_type, reference_id, created, created_by)
select work_unit_id, tenant_id, 'RuleMatch', rule_match_id, created, 'demo' from demo_unit where rule_match_id is not null`,
  },
  {
    what: 'notes and history entries',
    text: `insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, field, old_value, new_value, created, created_by, correlation_id)
select e.work_unit_id, e.tenant_id, detail, kind, field, old_value, new_value, at, coalesce(by, 'demo'), pg_temp.demo_id('entry', e.work_unit_id) from (
  ${entry('created', `'WorkUnitEvent'`, `'Work unit created.'`, 'null')}
  union all ${entry('taken', `'WorkUnitStateChange'`, move(`'New'`, `'Acknowledged'`), 'person', `'stateId', 'New', 'Acknowledged'`)} and n % $1::int = 0
  union all ${entry(`least(taken + case when stuck then interval '1 minute' else interval '30 minutes' end, ended)`, `'WorkUnitStateChange'`, move(`'Acknowledged'`, worked), 'person', `'stateId', 'Acknowledged', ${worked}`)} and n % $1::int = 0
  union all ${entry(`taken + interval '9 minutes'`, 'null', `story ->> 'note'`, 'person')} and n % 3 = 0
  union all ${entry('ended', `'WorkUnitStateChange'`, move(worked, ending), 'person', `'stateId', ${worked}, ${ending}`)}
) e (work_unit_id, tenant_id, detail, kind, field, old_value, new_value, at, by) order by e.work_unit_id, at`,
    // With more than 100,000 units, only every fifth has the state changes between its creation and its end.
    values: ({ workUnits }) => [workUnits > 100_000 ? 5 : 1],
  },
];
