/**
 * Rows of the past in the tables that grow: finished, and too young to be deleted. Periodic work must not read them. The bench `growth`
 * counts what it reads beside many of them, a test beside some.
 */

const liveRule = `insert into rule (tenant_id, name, rule_type_id, conditions) select tenant_id, name, type, conditions::jsonb from t, (values
  ('Silent', 3, '[{"Type": "And", "LeftOperand": 70, "Operator": 3, "RightOperand": "3600"}]'),
  ('High', 1, '[{"Type": "And", "LeftOperand": 62, "LeftOperandFieldName": "Cpu", "Operator": 3, "RightOperand": "90"}]'),
  ('Many', 6, '[{"Type": "And", "LeftOperand": 71, "Operator": 3, "RightOperand": "5000", "WindowSeconds": 300}]')) r (name, type, conditions)`;

/** A tenant with devices that report, rules of each kind, and people. */
export const liveTexts = (devices: number): readonly string[] => [
  `with t as (insert into tenant (name) values ('Growing') returning tenant_id), s as (
  insert into subscription (tenant_id, name) select tenant_id, 'Growing' from t returning tenant_id, subscription_id
), d as (
  insert into device (tenant_id, subscription_id, name)
  select tenant_id, subscription_id, 'device-' || n from s, generate_series(1, ${devices}) n returning device_id, tenant_id
), l as (
  insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message)
  select device_id, tenant_id, now(), now(), uuidv7(), '{"Metrics": {"Cpu": 1}}' from d
), p as (
  insert into person (name, user_name) values ('Grace', 'grace')
)
${liveRule}`,
  `create temporary view numbered_device as select device_id, d.tenant_id, row_number() over (order by device_id) - 1 as n
from device d join tenant t on t.tenant_id = d.tenant_id and t.name = 'Growing' where d.name like 'device-%'`,
  `create function pg_temp.past(count int, share float8) returns table (n int, at timestamptz) language sql as
  $$ select n, now() - interval '7 days' + interval '6 days' * (share + case share when 0 then 0.1 else 1 - share end * n / count) from generate_series(1, count) n $$`,
  // Packets of the last hours, of which the last one is added up.
  `update series_state set closed_until = date_trunc('hour', now()) - interval '1 hour'`,
  `insert into packet (tenant_id, entity_id, timestamp, received_timestamp, message)
select tenant_id, device_id, at, at, '{"Metrics": {"Cpu": 1}}' from numbered_device, generate_series(now() - interval '3 hours', now() - interval '10 minutes', interval '30 minutes') at`,
];

const ofDevice = (amount: string): string =>
  `from pg_temp.past(${amount}, $2) p join numbered_device d on d.n = p.n % (select count(*) from numbered_device) cross join (select rule_id from rule where name = 'High' order by created desc limit 1) r`;
const ofTenant = (amount: string): string =>
  `from pg_temp.past(${amount}, $2) p cross join (select tenant_id from tenant where name = 'Growing') t`;
const ofUnits = `from (select * from work_unit where title like 'Past %' order by work_unit_id desc limit $1 / 5) u`;
const ofMessages = `from (select * from work_unit_communication order by work_unit_communication_id desc limit $1 / 5) c`;

/**
 * $1: the number of rows of most tables; $2: 0 for the first tenth of the past days, 0.1 for the others, so that what is added later is newer. Rows are
 * added in the order of time, as they are in an installation.
 */
const keptTexts: readonly string[] = [
  `insert into rule_match (tenant_id, rule_id, subject_id, label, created, expires, closed, completion_processed, first_match, last_match, correlation_id)
select d.tenant_id, r.rule_id, d.device_id, 'Past', at, at + interval '5 minutes', at + interval '5 minutes', true, at, at, gen_random_uuid() ${ofDevice('$1')} order by at`,
  `insert into rule_evaluation (tenant_id, rule_id, subject_id, at, outcome, correlation_id)
select d.tenant_id, r.rule_id, d.device_id, at, 'hit', gen_random_uuid() ${ofDevice('$1')} order by at`,
  `insert into stale_count (tenant_id, rule_id, subject_id, hour, count) select d.tenant_id, gen_random_uuid(), d.device_id, at, 1 ${ofDevice('$1')} order by at`,
  `insert into action_history (tenant_id, action_definition_id, action_processed, result_status_id, message_id, correlation_id)
select tenant_id, gen_random_uuid(), at, 1, gen_random_uuid(), gen_random_uuid() ${ofTenant('$1')} order by at`,
  `insert into audit (tenant_id, at, actor_kind, actor_name, entity, entity_id, verb, correlation_id)
select tenant_id, at, 'system', 'growth', 'devices', n::text, 'update', gen_random_uuid() ${ofTenant('$1')} order by at`,
  `insert into packet (tenant_id, entity_id, timestamp, received_timestamp, message)
select d.tenant_id, d.device_id, at, at, '{"Metrics": {"Cpu": 1}}' ${ofDevice('$1 * 5')} order by at`,
  `insert into packet_receipt (tenant_id, entity_id, message_id, received_timestamp)
select d.tenant_id, d.device_id, gen_random_uuid()::text, at ${ofDevice('$1')} order by at`,
  `insert into rule_receipt (tenant_id, event_id, created) select tenant_id, gen_random_uuid(), at ${ofTenant('$1')} order by at`,
  `insert into device_log (tenant_id, device_id, entry_type, detail, created)
select d.tenant_id, d.device_id, 'Information', 'Past', at ${ofDevice('$1')} order by at`,
  `insert into version_day (tenant_id, day, package_id, package_name, version, devices)
select tenant_id, at::date, gen_random_uuid(), 'Agent', '1.0', 1 ${ofTenant('$1')} order by at`,
  `insert into series_hour (tenant_id, entity_id, metric, page, slots, mins, sums, maxs, lasts, counts)
select d.tenant_id, d.device_id, 'Cpu' || random(), date_trunc('day', at), '{1}', '{1}', '{1}', '{1}', '{1}', '{1}' ${ofDevice('$1')} order by at`,
  `insert into installation_gap (gap_start, gap_end, partial) select at, at + interval '1 second', true from pg_temp.past($1 / 20, $2) order by at`,
  `insert into work_unit (tenant_id, title, work_unit_type_id, state_id, created, created_by, modified_by)
select tenant_id, 'Past ' || n, 1, 'Closed', at, 'growth', 'growth' ${ofTenant('$1 / 5')} order by at`,
  `insert into work_unit_note (tenant_id, work_unit_id, detail, created, created_by, correlation_id)
select tenant_id, work_unit_id, 'Past', created, 'growth', gen_random_uuid() ${ofUnits}, generate_series(1, 4)`,
  `insert into notification (tenant_id, work_unit_id, address, channel, message_id, step_message_id, name, whom, created)
select tenant_id, work_unit_id, 'a@example.com', 'email', gen_random_uuid(), gen_random_uuid(), 'A', 'A', created ${ofUnits}, generate_series(1, 4)`,
  `insert into inbox_item (tenant_id, person_id, work_unit_id, kind, cause, created_by, created)
select u.tenant_id, person_id, work_unit_id, 'Note', 'Watched', 'growth', u.created ${ofUnits} cross join (select person_id from person where user_name = 'grace') p`,
  `insert into work_unit_watcher (tenant_id, person_id, work_unit_id)
select u.tenant_id, person_id, work_unit_id ${ofUnits} cross join (select person_id from person where user_name = 'grace') p`,
  `insert into call_back (tenant_id, work_unit_id, requested_by, due, closed_at, closed_by)
select tenant_id, work_unit_id, 'growth', created, created, 'growth' ${ofUnits}`,
  `insert into planned_step (event_id, protocol_action_id, tenant_id, work_unit_id, protocol_id, work_unit_event_type_id, event_state_id, name, sequence, due, ended, stop_when, correlation_id)
select gen_random_uuid(), gen_random_uuid(), tenant_id, work_unit_id, gen_random_uuid(), 1, 'New', 'Past', 1, created, created, 'Never', gen_random_uuid() ${ofUnits}`,
  `insert into work_unit_relation (tenant_id, work_unit_id, reference_type, reference_id, created_by)
select tenant_id, work_unit_id, 'Url', 'https://example.com/' || work_unit_id, 'growth' ${ofUnits}`,
  `insert into work_unit_communication (tenant_id, title, status, next_update, created, created_by, user_changed_by)
select tenant_id, 'Past ' || n, 'Resolved', at, at, 'growth', 'growth' ${ofTenant('$1 / 5')} order by at`,
  `insert into communication_update (tenant_id, work_unit_communication_id, status, detail, created_by, created)
select tenant_id, work_unit_communication_id, 'Resolved', 'Past', 'growth', created ${ofMessages}`,
  `insert into communication_mail (tenant_id, work_unit_communication_id, communication_update_id, name, email, subject, body, state, message_id, created)
select tenant_id, work_unit_communication_id, communication_update_id, 'A', 'a@example.com', 'Past', 'Past', 'Sent', gen_random_uuid(), created
from (select * from communication_update order by created desc limit $1 / 5) u on conflict do nothing`,
  `insert into communication_reminder (tenant_id, work_unit_communication_id, field, due)
select tenant_id, work_unit_communication_id, 'nextUpdate', next_update ${ofMessages} on conflict do nothing`,
  `insert into maintenance_window (tenant_id, reason, starts_at, ends_at) select tenant_id, 'Past', at, at + interval '1 hour' ${ofTenant('$1 / 20')} order by at`,
  `insert into campaign (tenant_id, title, kind, total, waiting, created_by, owner_kind, correlation_id, created, ended)
select tenant_id, 'Past', 'operation', 0, 0, 'growth', 'person', gen_random_uuid(), at, at ${ofTenant('$1 / 20')} order by at`,
  `insert into match_group (tenant_id, scope_id, group_key, kind, label, rule_id, lead_match_id, unit_scope, unit_key, window_seconds, summary_seconds, accepts, ended)
select m.tenant_id, rule_id, m.rule_match_id::text, 'rule', 'Past', rule_id, rule_match_id, rule_id, subject_id, 60, 600, false, closed
from (select * from rule_match where closed is not null order by created desc limit $1 / 5) m`,
  `insert into match_group_member (rule_match_id, tenant_id, cause, match_group_id, created, joined, ended)
select lead_match_id, tenant_id, 'rule', match_group_id, ended, ended, ended from (select * from match_group order by ended desc limit $1 / 5) g on conflict do nothing`,
  `insert into job (name, payload, correlation_id, tenant_id, dead_at, run_at) select 'send-mail', '{}', gen_random_uuid(), tenant_id, at, at ${ofTenant('$1 / 20')} order by at`,
];

const later = "now() + interval '1 day' + n * interval '1 second'";
const openUnits = `from (select *, row_number() over (order by work_unit_id) as n from work_unit where title like 'Waits %') u`;

/** Rows of the future, as many as $1: what waits for its time. */
export const waitingTexts: readonly string[] = [
  `insert into rule_match (tenant_id, rule_id, subject_id, label, created, expires, first_match, last_match, correlation_id)
select tenant_id, r.rule_id, gen_random_uuid(), 'Waits', now(), ${later}, now(), now(), gen_random_uuid()
from generate_series(1, $1) n cross join (select tenant_id, rule_id from rule where name = 'High' order by created desc limit 1) r`,
  `insert into work_unit (tenant_id, title, work_unit_type_id, state_id, snoozed_until, created_by, modified_by)
select tenant_id, 'Waits ' || n, 1, 'InProgress', ${later}, 'growth', 'growth' from generate_series(1, $1) n cross join tenant where name = 'Growing'`,
  `insert into work_unit_timer (work_unit_id, tenant_id, due) select work_unit_id, tenant_id, ${later} ${openUnits}`,
  `insert into answer_watch (work_unit_id, tenant_id, look_at) select work_unit_id, tenant_id, ${later} ${openUnits}`,
  `insert into work_unit_clock (work_unit_id, tenant_id, kind, state, service_level_id, level_name, target_minutes, warn_percent, pauses_on_hold, started, periods, look_at)
select work_unit_id, tenant_id, 'resolve', 'running', gen_random_uuid(), 'Gold', 60, 80, true, now(), '[]', ${later} ${openUnits}`,
  `insert into call_back (tenant_id, work_unit_id, requested_by, due, look_at) select tenant_id, work_unit_id, 'growth', ${later}, ${later} ${openUnits}`,
  `insert into planned_step (event_id, protocol_action_id, tenant_id, work_unit_id, protocol_id, work_unit_event_type_id, event_state_id, name, sequence, due, stop_when, correlation_id)
select gen_random_uuid(), gen_random_uuid(), tenant_id, work_unit_id, gen_random_uuid(), 1, 'New', 'Waits', 1, ${later}, 'Never', gen_random_uuid() ${openUnits}`,
  `insert into notification (tenant_id, work_unit_id, person_id, address, channel, message_id, step_message_id, name, whom, held_until)
select u.tenant_id, work_unit_id, person_id, 'a@example.com', 'email', gen_random_uuid(), gen_random_uuid(), 'A', 'A', ${later} ${openUnits}
cross join (select person_id from person where user_name = 'grace') p`,
  `insert into work_unit_communication (tenant_id, title, next_update, created_by, user_changed_by)
select tenant_id, 'Waits', ${later}, 'growth', 'growth' from generate_series(1, $1) n cross join tenant where name = 'Growing'`,
  `insert into maintenance_window (tenant_id, reason, starts_at, ends_at)
select tenant_id, 'Waits', ${later}, ${later} + interval '1 hour' from generate_series(1, $1) n cross join tenant where name = 'Growing'`,
  `insert into job (name, payload, correlation_id, tenant_id, run_at)
select 'send-mail', '{}', gen_random_uuid(), tenant_id, ${later} from generate_series(1, $1) n cross join tenant where name = 'Growing'`,
  `insert into token_grant (tenant_id, name, token_hash, token_hint, expires_on)
select tenant_id, 'Waits', uuid_send(gen_random_uuid()), 'abcd', now() + interval '300 days' from generate_series(1, $1) n cross join tenant where name = 'Growing'`,
];

/** Adds rows; in the second call of a test `isFirst` is false. */
export async function keepRows(
  query: (text: string, values: readonly number[]) => Promise<unknown>,
  count: number,
  isFirst: boolean,
): Promise<void> {
  for (const text of keptTexts) await query(text, text.includes('$2') ? [count, isFirst ? 0 : 0.1] : [count]);
  await query('vacuum analyze', []);
}
