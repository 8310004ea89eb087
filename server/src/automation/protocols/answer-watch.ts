/**
 * Looks whether somebody works on a unit. Steps for New of its protocol that have run out make the unit unanswered, and run
 * again if the protocol repeats them; an acknowledgement that nobody follows up runs out, by the protocol or the rule of the
 * unit.
 */
import type { Logger } from 'pino';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import { writeHistory } from '../../features/work-units/feed/history.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import { get } from '../../resources/get.ts';
import { servedOf } from '../../resources/served.ts';
import { applyChange, update } from '../../resources/update.ts';
import { beginRuns } from './protocol-run.ts';

const atOnce = 200;
const onNew = 1;
/** Time between two looks at a unit whose steps still run, or whose matches have ended. */
const lookAgainMs = 5_000;
const matchesEndedMs = 60_000;

// Two processes do not look at one unit at the same time: the second leaves out the locked unit.
const lockUnit = `select w.state_id as "stateId" from work_unit w where w.work_unit_id = $1 for no key update of w skip locked`;

/** Times in milliseconds. */
interface UnansweredUnit {
  tenantId: string;
  /** Empty for a unit without a protocol, which has no steps. */
  protocolId: string;
  now: number;
  since: number;
  chainEnded: number | null;
  isUnanswered: boolean;
  /** Of the protocol. */
  unansweredAfter: number;
  repeatEvery: number | null;
  /** The shorter one of protocol and rule. */
  acknowledgedFor: number | null;
  /** Whether the protocol has automatic steps for New, and whether one of them has begun or waits since `since`. */
  hasSteps: boolean;
  hasBegun: boolean;
  /** When the last step that waits is due; null if no step waits. */
  lastDue: number | null;
  /** Whether a step, or a message to a person that was not in vain so far, is not over. */
  isBusy: boolean;
  /** The latest change or note by a person. */
  lastWork: number | null;
  /** Whether matches of the unit are open; null for a unit without matches. */
  isMatching: boolean | null;
}

/** A message that could not be sent for so long reaches nobody for now: its receiver may be away for a day. */
const stuckMinutes = 2;

const ms = (sql: string): string => `(extract(epoch from ${sql}) * 1000)::float8`;

const look = `select w.tenant_id as "tenantId", coalesce(p.protocol_id::text, '') as "protocolId", ${ms('now()')} as now, ${ms('u.since')} as since, ${ms('u.chain_ended')} as "chainEnded",
  w.unanswered_since is not null as "isUnanswered", coalesce(p.unanswered_after, 0) * 1000.0::float8 as "unansweredAfter", p.repeat_every * 1000.0::float8 as "repeatEvery",
  least(p.acknowledged_for, r.acknowledged_for) * 1000.0::float8 as "acknowledgedFor",
  exists (select from protocol_action a where a.protocol_id = p.protocol_id and a.work_unit_event_type_id = ${onNew} and a.run_automatically
    and (a.tenant_id is null or a.tenant_id = w.tenant_id)) as "hasSteps",
  exists (select from planned_step s where s.work_unit_id = w.work_unit_id and s.work_unit_event_type_id = ${onNew} and s.created >= u.since)
    or exists (select from action_history h where h.work_unit_id = w.work_unit_id and h.action_processed >= u.since and h.result_detail->>'event' = 'OnNew') as "hasBegun",
  (select ${ms('max(s.due)')} from planned_step s where s.work_unit_id = w.work_unit_id and s.work_unit_event_type_id = ${onNew} and s.ended is null) as "lastDue",
  exists (select from protocol_run r where r.work_unit_id = w.work_unit_id and r.work_unit_event_type_id = ${onNew})
    or exists (select from notification n join action_history h on h.message_id = n.message_id where n.work_unit_id = w.work_unit_id
      and h.result_status_id = ${resultStatus.enqueueSuccess} and h.kept_since is null
      and not (h.next_try is not null and coalesce(n.due, n.created) < now() - interval '${stuckMinutes} minutes')) as "isBusy",
  (select ${ms('max(t.at)')} from (
    select a.at from audit a where a.entity = 'workUnits' and a.entity_id = w.work_unit_id::text and a.actor_kind <> 'system'
    union all
    select o.created from work_unit_note o join person q on lower(q.user_name) = lower(o.created_by) where o.work_unit_id = w.work_unit_id and o.created >= u.since
  ) t) as "lastWork",
  (select bool_or(m.state = 'Open') from unit_match m where m.work_unit_id = w.work_unit_id) as "isMatching"
from answer_watch u join work_unit w using (work_unit_id) left join protocol p on p.protocol_id = w.protocol_id left join rule r on r.rule_id = w.rule_id
where u.work_unit_id = $1 and u.look_at <= now() for update of u`;

async function lookAgain(db: Db, workUnitId: number, at: number | null, chainEnded: number | null): Promise<void> {
  await db.query({
    name: 'answer-watch-again',
    text: 'update answer_watch set look_at = to_timestamp($2::float8 / 1000), chain_ended = to_timestamp($3::float8 / 1000) where work_unit_id = $1',
    values: [workUnitId, at, chainEnded],
  });
}

const minutes = (duration: number): string => `${Math.round(duration / 60_000)} min`;

const tell = (ctx: Ctx, workUnitId: number, { tenantId }: UnansweredUnit, detail: string): Promise<void> =>
  writeHistory(ctx, { workUnitId, tenantId }, [{ historyType: 'WorkUnitEvent', detail }]);

/** Makes the unit unanswered: a change of the unit, whose event runs the steps for OnUnanswered and the rules on work units. */
async function recordUnanswered(ctx: Ctx, workUnitId: number, unit: UnansweredUnit): Promise<void> {
  const served = servedOf(workUnits);
  const before = await get(ctx, served, workUnitId, { lock: 'edit' });
  const after = { ...before, unansweredSince: new Date(unit.now).toISOString() };
  await applyChange(ctx, served, { verb: 'update', before, after, changed: ['unansweredSince'] });
  await tell(ctx, workUnitId, unit, 'Unanswered: all steps for New have run, and nobody has acknowledged.');
}

/** Runs the steps for New again. The event's id follows from the round, so that a round begins once. */
async function repeat(ctx: Ctx, workUnitId: number, unit: UnansweredUnit): Promise<void> {
  const { tenantId, protocolId, since } = unit;
  const eventId = uuidV5(protocolId, `again:${workUnitId}:${since}`);
  await tell(ctx, workUnitId, unit, 'Nobody works on it: the steps for New run again.');
  await ctx.db.query({
    name: 'answer-watch-repeat',
    text: "update answer_watch set since = now(), chain_ended = null, look_at = now() + interval '5 seconds' where work_unit_id = $1",
    values: [workUnitId],
  });
  const event = { eventId, tenantId, workUnitId, protocolId, eventTypeId: onNew, correlationId: eventId, hops: 0, detail: {} };
  await beginRuns(ctx.db, [{ ...event, stateId: 'New' }]);
}

async function lookAtNew(ctx: Ctx, workUnitId: number, unit: UnansweredUnit): Promise<void> {
  const { now, chainEnded, unansweredAfter, repeatEvery, lastDue } = unit;
  if (!unit.hasSteps) return lookAgain(ctx.db, workUnitId, null, null);
  if (!unit.hasBegun || unit.isBusy || lastDue !== null)
    return lookAgain(ctx.db, workUnitId, Math.max(now + lookAgainMs, lastDue ?? 0), null);
  const ended = chainEnded ?? now;
  if (!unit.isUnanswered && ended + unansweredAfter <= now) await recordUnanswered(ctx, workUnitId, unit);
  if (repeatEvery !== null && ended + repeatEvery <= now) return repeat(ctx, workUnitId, unit);
  const times = [unit.isUnanswered ? null : ended + unansweredAfter, repeatEvery === null ? null : ended + repeatEvery];
  const next = times.filter((time) => time !== null && time > now) as number[];
  return lookAgain(ctx.db, workUnitId, next.length > 0 ? Math.min(...next) : null, ended);
}

async function lookAtAcknowledged(ctx: Ctx, workUnitId: number, unit: UnansweredUnit): Promise<void> {
  const { now, since, lastWork, acknowledgedFor } = unit;
  if (acknowledgedFor === null) return lookAgain(ctx.db, workUnitId, null, null);
  const ends = Math.max(since, lastWork ?? 0) + acknowledgedFor;
  if (ends > now) return lookAgain(ctx.db, workUnitId, ends, null);
  if (unit.isMatching === false) return lookAgain(ctx.db, workUnitId, now + matchesEndedMs, null);
  await tell(ctx, workUnitId, unit, `The acknowledgement ran out: nobody has changed the work unit for ${minutes(acknowledgedFor)}.`);
  await update(ctx, servedOf(workUnits), workUnitId, { stateId: 'New', assignedTo: null });
}

async function lookAt(ctx: Ctx, workUnitId: number): Promise<void> {
  const [locked] = await ctx.db.query<{ stateId: string }>({ name: 'answer-watch-lock', text: lockUnit, values: [workUnitId] });
  const [unit] = locked ? await ctx.db.query<UnansweredUnit>({ name: 'answer-watch-look', text: look, values: [workUnitId] }) : [];
  if (!locked || !unit) return;
  if (locked.stateId === 'New') await lookAtNew(ctx, workUnitId, unit);
  else if (locked.stateId === 'Acknowledged') await lookAtAcknowledged(ctx, workUnitId, unit);
}

/** Looks at the units whose time has come. Each unit has a transaction, so that one that fails does not hold up the others. */
export async function watchAnswers(database: Database, log: Logger): Promise<void> {
  const system = systemCtx({ database, log, name: 'Automation' });
  const due = await system.db.query<{ id: number }>({
    name: 'answer-watch-due',
    text: `select u.work_unit_id as id from answer_watch u join tenant t on t.tenant_id = u.tenant_id and t.enabled
where u.look_at <= now() order by u.look_at limit ${atOnce}`,
  });
  for (const { id } of due) {
    try {
      await system.db.transaction((db) => lookAt({ ...system, db }, id));
    } catch (error) {
      log.error({ err: error, workUnitId: id }, 'Cannot look whether somebody works on the unit; it is tried again.');
    }
  }
}

export const answerWatchWork = (database: Database, log: Logger): Periodic => ({
  name: 'answer-watch',
  everyMs: 2_000,
  run: () => watchAnswers(database, log),
});
