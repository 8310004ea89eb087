/**
 * The order of the messages about one rule and subject, or about one group: what opens a match, what ends it, then what opens the
 * next one; and of those about their work units: in the order of the events. It holds across matches, whichever worker is slow, is lost or tries again.
 */
import { builtInAction, builtInActionTypes, resultStatus } from '@cloudfit/contract/enums.ts';
import type { Db } from '../db/db.ts';
import { maxHoldMs } from '../executions/executions.ts';
import { groupJoins } from './groups/group-of-match.ts';
import { NotDue } from '../jobs/job.ts';
import { recordResult } from './action-result.ts';

/** How many matches before the present one may still have messages that wait. */
const lookBack = 20;
/** The longest time after which an end looks again whether the message about the opening has arrived. */
const lookAgainMs = 60_000;

/** SQL: the place of the execution `h` within its match. */
const phaseOf = (h: string): string => `case ${h}.result_detail ->> 'phase' when 'expiration' then 2 when 'summary' then 1 else 0 end`;

const isCall = (d: string): string => `${d}.action_definition_type_id not in (${builtInActionTypes.join(', ')})`;
const isMail = (d: string): string => `${d}.action_definition_id = '${builtInAction.email}'`;
const hostOf = (d: string): string => `substring(${d}.endpoint_url from '^[^:]+://([^/?#]*)')`;
// By the text, because a parameter that PostgreSQL cannot store as JSON must not stop an execution.
const parameterOf = (h: string, name: string): string => `substring(${h}.input_parameters from '"${name}":"([^"]*)"')`;
const recipientsOf = (h: string): string =>
  `regexp_split_to_array(btrim(lower(concat_ws(',', ${parameterOf(h, 'To')}, ${parameterOf(h, 'Cc')}, ${parameterOf(h, 'Bcc')})), ' ,;'), '[,;\\s]+')`;

/**
 * SQL: whether two executions, with their definitions, reach the same receiver: a host, a recipient of mails, a phone, a browser, the
 * people of Notify, or a colour.
 */
const reachesSame = (p: string, pd: string, h: string, d: string): string => `(case
    when ${isMail(pd)} then ${isMail(d)} and ${recipientsOf(p)} && ${recipientsOf(h)}
    when ${isCall(pd)} then ${isCall(d)} and ${hostOf(pd)} = ${hostOf(d)} and ${parameterOf(p, 'To')} is not distinct from ${parameterOf(h, 'To')}
    else ${pd}.action_definition_id in ('${builtInAction.setColor}', '${builtInAction.notify}') and ${d}.action_definition_id = ${pd}.action_definition_id
      and ${parameterOf(p, 'PushSubscriptionId')} is not distinct from ${parameterOf(h, 'PushSubscriptionId')} end)`;

/**
 * SQL: `reachesSame` for steps of protocols, one of which has not started: it is not known yet whom Notify will notify, so it may be
 * anybody who gets the other's mail.
 */
export const reachesSamePerhaps = (p: string, pd: string, h: string, d: string): string =>
  `(${reachesSame(p, pd, h, d)} or ${pd}.action_definition_id = '${builtInAction.notify}' and ${isMail(d)} or ${isMail(pd)} and ${d}.action_definition_id = '${builtInAction.notify}')`;

/** SQL: the unit, and the latest units of its `line`, which are those of the same rule and subject or group. */
export const unitsOfLine = (unit: string): string =>
  `array(select x.work_unit_id from work_unit x where x.line = (select y.line from work_unit y where y.work_unit_id = ${unit}) order by x.work_unit_id desc limit ${lookBack}) || ${unit}`;

/** SQL: the matches before `m` of its rule and subject that have ended, the latest first; `mg` is the group of `m`. */
const endedBefore = `select p.rule_match_id, p.completion_processed from rule_match p
    where p.rule_id = m.rule_id and p.subject_id = m.subject_id and p.closed is not null and p.rule_match_id <> m.rule_match_id
      and (p.created, p.first_match) < (m.created, m.first_match)
    order by p.expires desc limit ${lookBack}`;
const beforeColumns = `array(select lead_match_id::text from match_group b where b.tenant_id = mg.tenant_id and b.unit_scope = mg.unit_scope and b.unit_key = mg.unit_key
      and b.opened < mg.opened and b.lead_match_id <> m.rule_match_id order by b.opened desc limit 1) || array_agg(p.rule_match_id::text) as ids,
    array_agg(p.rule_match_id) filter (where not p.completion_processed) as unended`;

/** SQL: executions that may come before `h`; `l.ids` are the matches before. */
const earlier = `
      select message_id from action_history where message_id = h.follows
      union
      select message_id from action_history b where b.reference_id = any(l.ids || h.reference_id) and b.result_status_id = ${resultStatus.enqueueSuccess}
        and (b.reference_id <> h.reference_id or ${phaseOf('b')} < ${phaseOf('h')}) and b.result_detail ->> 'replayOf' is null
      union
      select message_id from action_history b where b.work_unit_id = any(${unitsOfLine('h.work_unit_id')}) and b.action_history_id < h.action_history_id
        and b.result_status_id = ${resultStatus.enqueueSuccess} and (b.protocol_event_id = h.protocol_event_id) is not true
        and b.result_detail ->> 'replayOf' is null and h.result_detail ->> 'replayOf' is null
      union
      select message_id from action_history b where b.reference_id = any(array(
          select r.rule_match_id::text from rule_match r where r.work_unit_id = h.work_unit_id order by r.created desc limit ${lookBack}))
        and b.action_history_id < h.action_history_id and b.result_status_id = ${resultStatus.enqueueSuccess}
        and b.result_detail ->> 'replayOf' is null and h.result_detail ->> 'replayOf' is null`;

const isFirst = `h.reference_id = m.rule_match_id::text and h.result_detail ->> 'replayOf' is null`;

/**
 * SQL: whether the place of the execution `h` must be read: before most there is nothing. It is much less than `order`, which takes as long
 * to plan as all else that an action reads. `m` is the match of `h` and `mg` the group of the match.
 */
export const mayHaveEarlier = `(select l.unended is not null or ${phaseOf('h')} = 2 or exists (
    select from (${earlier}) earlier join action_history p on p.message_id = earlier.message_id where p.result_status_id = ${resultStatus.enqueueSuccess})
  from (values (1)) one left join lateral (select ${beforeColumns} from (${endedBefore}) p) l on ${isFirst})`;

/**
 * The place of the execution with this message id.
 *
 * `l`: the matches before; those whose end has not been handled; and, for the end of a match, whether people were told of a later match
 * that is open.
 *
 * `o`: the earlier executions that have no outcome. This one waits for each of them: until it has begun, while a try of it runs or is
 * due, such as after the loss of its worker, and otherwise until `maxHoldMs` after its first try. It does not wait while the mail
 * of the other waits, or while the other waits for its receiver before its first try. While the circuit of the receiver is open,
 * no try is due, and a try ends by its timeout, so a receiver that hangs does not hold the next action for ever. Only the end of a
 * match waits without a limit for what opens it at the same receiver, because it tells nobody who was not told of the opening; and
 * so does a message about a work unit for those of earlier events at the same receiver, also of the units of the faults before, and
 * for what the matches of the unit tell. It waits for these alone: those that are due, are tried again, or wait for others
 * themselves, but not those of a later time.
 */
export const order = `select coalesce(o.hold_ms, 0)::float8 as "holdMs", o.held_by as "heldBy", coalesce(o.overtaken, '{}') as overtaken, coalesce(l.unended, '{}') as "unendedMatchIds",
  coalesce(l.is_overtaken, false) as "isOvertaken"
from action_history h
left join rule_match m on m.tenant_id = h.tenant_id and m.rule_match_id = case when h.reference_id ~ '^[0-9a-f-]{36}$' then h.reference_id::uuid end
${groupJoins}
left join action_definition d on d.action_definition_id = h.action_definition_id and (d.tenant_id is null or d.tenant_id = h.tenant_id)
left join lateral (
  select ${beforeColumns},
    ${phaseOf('h')} = 2 and (${isMail('d')} or ${isCall('d')}) and exists (
      select from rule_match n join action_history e on e.reference_id = n.rule_match_id::text and e.result_detail ->> 'phase' = 'match'
      join action_definition ed on ed.action_definition_id = e.action_definition_id and (${isMail('ed')} or ${isCall('ed')})
      where n.rule_id = m.rule_id and n.subject_id = m.subject_id and n.closed is null and n.rule_match_id <> m.rule_match_id
        and (e.result_status_id = ${resultStatus.success} or exists (select from action_try t where t.action_history_id = e.action_history_id))) as is_overtaken
  from (${endedBefore}) p
) l on ${isFirst}
left join lateral (
  select max(w.ms) as hold_ms, (array_agg(w.message_id order by case when h.work_unit_id is not null then w.place end desc, w.ms desc) filter (where w.ms > 0))[1] as held_by,
    array_agg(w.message_id) filter (where w.is_overtaken) as overtaken
  from (
    select p.message_id, p.action_history_id as place, p.reference_id <> h.reference_id and ${reachesSame('p', 'pd', 'h', 'd')} as is_overtaken,
      case
        when j.leased_until > now() or j.attempts > 0 and j.run_at <= now() and not exists (
          select from destination x where x.tenant_id = j.tenant_id and x.origin = j.destination and x.disabled is null and x.paused_until > now()) then 2000
        when j.job_id is not null and (p.reference_id = h.reference_id or h.work_unit_id is not null) and (h.work_unit_id is not null or ${phaseOf('p')} < ${phaseOf('h')})
          and ${reachesSame('p', 'pd', 'h', 'd')} then least(${lookAgainMs}, greatest(2000, extract(epoch from j.run_at - clock_timestamp()) * 1000))
        when t.started is not null then least(2000, greatest(0, ${maxHoldMs} - extract(epoch from clock_timestamp() - t.started) * 1000))
        when j.destination is null and j.attempts = 0 then 2000 else 0 end as ms
    from (${earlier}
    ) earlier join action_history p on p.message_id = earlier.message_id
    left join action_definition pd on pd.action_definition_id = p.action_definition_id
    left join lateral (select min(started) as started from action_try t where t.action_history_id = p.action_history_id) t on true
    left join job j on j.once_key = p.message_id::text and j.dead_at is null
    where p.result_status_id = ${resultStatus.enqueueSuccess} and p.kept_since is null
      and not exists (select from waiting_mail s where s.message_id = p.message_id)
      and (h.work_unit_id is null or p.message_id = h.follows or (j.attempts > 0 or j.run_at <= now() or p.follows is not null) and ${reachesSame('p', 'pd', 'h', 'd')})
  ) w
) o on true
where h.message_id = $1`;

/** What an execution is told by its place in the order. */
export interface PlaceInOrder {
  /** Milliseconds that it must still wait for earlier executions, of which `heldBy` is one. */
  holdMs: number;
  heldBy: string | null;
  /**
   * Executions of earlier matches that were tried and are tried again later, at the same receiver. They are dropped when this one is
   * sent, because afterwards they would say what is no longer true.
   */
  overtaken: readonly string[];
  /** Earlier matches that are over and whose expiration actions are not queued yet. */
  unendedMatchIds: readonly string[];
  /** Whether it tells the end of a match although people were told that a later one has opened. */
  isOvertaken: boolean;
}

/** The place of an execution before which nothing comes. */
export const first: PlaceInOrder = { holdMs: 0, heldBy: null, overtaken: [], unendedMatchIds: [], isOvertaken: false };

// An end of the other that is being written may have looked already for those that follow it; while its row is locked, nothing is known.
const follow = `with other as (
  select message_id from action_history where message_id = $2 and result_status_id = ${resultStatus.enqueueSuccess} for share skip locked
), following as (
  update action_history h set follows = $2 from other where h.message_id = $1 and h.follows is distinct from $2 and h.result_status_id = ${resultStatus.enqueueSuccess}
    and not exists (select from action_history p where p.message_id = h.follows and p.result_status_id = ${resultStatus.enqueueSuccess})
)
select 1 from other`;

/**
 * Lets the end of the execution `heldBy` make this one due, unless it still follows another one. Returns false if that has ended
 * meanwhile, or is being written just now.
 */
export async function waitFor(db: Db, messageId: string, heldBy: string): Promise<boolean> {
  return (await db.query({ name: 'action-wait-for', text: follow, values: [messageId, heldBy] })).length > 0;
}

/** The outcome of a message that a later one has overtaken. */
export const superseded = { succeeded: true, isSuppressed: true, detail: { reason: 'superseded' } };

const lock = `select action_history_id as id, message_id from action_history where message_id = any($1::uuid[]) and result_status_id = ${resultStatus.enqueueSuccess}
order by action_history_id for update`;

const underWay = `select 1 from action_try t where t.action_history_id = any($1::bigint[]) and t.duration_ms is null and t.error is null limit 1`;

/**
 * Drops these executions. Call it in the transaction that records a try of the later one. Their locks order this and a try of theirs,
 * which then either sees that they have ended, or is waited for.
 */
export async function dropOvertaken(db: Db, messageIds: readonly string[]): Promise<void> {
  const rows = await db.query<{ id: number; message_id: string }>({ name: 'overtaken-lock', text: lock, values: [messageIds] });
  const busy = await db.query({ name: 'overtaken-tries', text: underWay, values: [rows.map(({ id }) => id)] });
  if (busy.length > 0) throw new NotDue('An earlier message is being sent.', 1_000);
  for (const row of rows) await recordResult(db, row.message_id, superseded);
}
