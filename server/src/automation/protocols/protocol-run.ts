/** Runs the automatic actions of a protocol for an event of a work unit: one after another, each once. */
import {
  type afterSteps,
  eventOfState,
  resultStatus,
  type StepHours,
  workUnitEventTypes,
  type WorkUnitState,
} from '@cloudfit/contract/enums.ts';
import { finalShifts } from '@cloudfit/contract/on-call/shifts.ts';
import { endsBecause, skippedBecause } from '@cloudfit/contract/protocols/timeline.ts';
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import { changed } from '../../db/changed.ts';
import type { Db } from '../../db/db.ts';
import { readParameters } from '../../features/protocols/parameters.ts';
import { levelFields } from '../../features/work-units/feed/history.ts';
import type { WorkUnitEvent } from '../../features/work-units/work-unit-event.ts';
import { loadSchedules } from '../../features/protocols/on-call/schedules.ts';
import { maxHops, runActionName, writeExecutionOnce } from '../../executions/executions.ts';
import { enqueueAll } from '../../jobs/queue.ts';
import { eachApart } from '../../jobs/each-apart.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import { recordResult } from '../action-result.ts';
import { protocolStepsName, type ProtocolEvent } from './protocol-event.ts';
import { isEarlierStepAhead, wakeLaterRuns } from './order-of-runs.ts';
import { endPlannedSteps, planSteps, type StepEnd } from './protocol-timeline.ts';
import type { WorkUnitEventHandler } from '../work-unit-event.job.ts';
import { currentTime } from '../../platform/clock.ts';

/** `messageId` of the execution of one step. */
const stepId = (eventId: string, protocolActionId: string): string => uuidV5(eventId, `step:${protocolActionId}`);

const eventLabel = (id: number): string => workUnitEventTypes.find((event) => event.value === id)?.label ?? String(id);

const onChange = 8;
const onUnanswered = 11;
const onLevelWarned = 12;
const onLevelBreached = 13;
const ofLevel: ReadonlySet<string> = new Set(levelFields);

// An event without automatic actions gets no row. An event of which an execution exists has already begun.
const begin = `insert into protocol_run (event_id, tenant_id, work_unit_id, protocol_id, work_unit_event_type_id, steps, detail, correlation_id, hops)
select e."eventId", e."tenantId", e."workUnitId", e."protocolId", e."eventTypeId", s.steps, e.detail, e."correlationId", e.hops
from jsonb_to_recordset($1::jsonb) as e ("eventId" uuid, "tenantId" uuid, "workUnitId" bigint, "protocolId" uuid, "eventTypeId" int, detail jsonb,
  "correlationId" uuid, hops int)
cross join lateral (
  select array_agg(a.protocol_action_id order by a.sequence, a.created, a.protocol_action_id) as steps from protocol_action a
  where a.protocol_id = e."protocolId" and a.work_unit_event_type_id = e."eventTypeId" and a.run_automatically and a.wait is null and (a.tenant_id is null or a.tenant_id = e."tenantId")
) s
where s.steps is not null and not exists (select from action_history h where h.protocol_event_id = e."eventId")
on conflict do nothing returning event_id, tenant_id, correlation_id`;

/** Call it in a transaction. Stores the runs and queues their first steps, and plans the steps that wait. */
export async function beginRuns(db: Db, events: readonly ProtocolEvent[]): Promise<void> {
  if (events.length === 0) return;
  await planSteps(db, events);
  const begun = await db.query<{ event_id: string; tenant_id: string; correlation_id: string }>({
    name: 'protocol-begin',
    text: begin,
    values: [JSON.stringify(events)],
  });
  await queueNextSteps(
    db,
    begun.map((run) => ({ eventId: run.event_id, tenantId: run.tenant_id, correlationId: run.correlation_id })),
  );
}

// The id of a run is derived from its due time, so that two workers cannot begin the same run twice.
const beginOf = `insert into protocol_run (event_id, tenant_id, work_unit_id, protocol_id, work_unit_event_type_id, steps, detail, correlation_id, hops)
select e."eventId", e."tenantId", e."workUnitId", e."protocolId", e."eventTypeId", e.steps, e.detail, e."correlationId", e.hops
from jsonb_to_recordset($1::jsonb) as e ("eventId" uuid, "tenantId" uuid, "workUnitId" bigint, "protocolId" uuid, "eventTypeId" int, steps uuid[], detail jsonb,
  "correlationId" uuid, hops int)
on conflict do nothing returning 1`;

/** Call it in a transaction. Begins runs of these steps. */
export async function beginSteps(db: Db, runs: readonly (ProtocolEvent & { steps: readonly string[] })[]): Promise<void> {
  if (runs.length === 0) return;
  await db.defer({ name: 'protocol-begin-steps', text: beginOf, values: [JSON.stringify(runs)] });
  await queueNextSteps(db, runs);
}

function queueNextSteps(db: Db, runs: readonly { eventId: string; tenantId: string; correlationId: string }[]): Promise<void> {
  return enqueueAll(
    db,
    runs.map(({ eventId, tenantId, correlationId }) => ({ name: protocolStepsName, payload: { eventId }, tenantId, correlationId })),
  );
}

/** Ends the waiting steps that a change of a unit ends, and begins those of its events. */
export const startProtocolSteps: WorkUnitEventHandler = async (ctx, event) => {
  const { protocolId = null, stateId } = event.after;
  const moved = event.verb === 'create' || event.changed.includes('stateId');
  if (event.verb === 'update' && stateId && (moved || event.changed.includes('protocolId')))
    await endPlannedSteps(ctx.db, { workUnitId: event.workUnitId, stateId, protocolId }, event.at);
  if (!protocolId) return;
  const { eventId, tenantId, workUnitId } = event;
  const { at, hops = 0 } = event;
  const { correlationId } = ctx;
  const begun = { tenantId, workUnitId, protocolId, correlationId, hops, detail: {}, at, ...(stateId ? { stateId } : {}) };
  const runs = eventsOf(event).map((eventTypeId, n) => ({
    ...begun,
    eventTypeId,
    eventId: n === 0 ? eventId : uuidV5(eventId, String(eventTypeId)),
  }));
  await ctx.db.transaction((db) => beginRuns(db, runs));
};

/** Returns the events that a change of a unit is: that of its state, of a missing answer, or of any change, and that of its service level. */
function eventsOf({ verb, changed, after }: WorkUnitEvent): number[] {
  const sets = (name: 'unansweredSince' | 'levelWarned' | 'levelBreached'): boolean => changed.includes(name) && Boolean(after[name]);
  const level = sets('levelBreached') ? [onLevelBreached] : sets('levelWarned') ? [onLevelWarned] : [];
  if ((verb === 'create' || changed.includes('stateId')) && after.stateId) return [eventOfState[after.stateId], ...level];
  if (sets('unansweredSince')) return [onUnanswered, ...level];
  return changed.every((name) => ofLevel.has(name)) ? level : [onChange, ...level];
}

interface ProtocolRun {
  event_id: string;
  tenant_id: string;
  work_unit_id: number;
  /** Its place among the runs of its unit, in the order of the events. */
  place: number;
  work_unit_event_type_id: number;
  steps: string[];
  detail: Record<string, unknown>;
  correlation_id: string;
  hops: number;
}

interface StepOutcome {
  message_id: string;
  protocol_action_id: string | null;
  result_status_id: number;
  /** Whether the mail of the step waits for a mail server; the next step does not wait for its outcome. */
  isKept: boolean;
  /** Whether a job exists that will record the outcome. */
  expected: boolean;
  /** Whether the time `lateAfter` has passed since the step began; by default five minutes. */
  late: boolean;
  on_failure: (typeof afterSteps)[number] | null;
  on_late: (typeof afterSteps)[number] | null;
  name: string | null;
}

interface ProtocolStep {
  action_definition_id: string;
  parameters: string;
  name: string;
  only_states: string[];
  only_severities: string[];
  hours: StepHours;
  hours_schedule_id: string | null;
}

// One statement sees one snapshot: an outcome is written before its job is removed, so a step with neither is lost.
const doneSteps = `select h.message_id, h.protocol_action_id, h.result_status_id, h.kept_since is not null as "isKept",
  exists (select from job j where j.once_key = h.message_id::text and j.dead_at is null) as expected,
  h.action_processed + make_interval(secs => coalesce(a.late_after, 300)) <= now() as late, a.on_failure, a.on_late, d.name
from action_history h left join protocol_action a using (protocol_action_id) left join action_definition d on d.action_definition_id = h.action_definition_id
where h.protocol_event_id = $1 order by h.action_history_id`;

async function stepOf(db: Db, run: ProtocolRun, protocolActionId: string): Promise<ProtocolStep | undefined> {
  const [step] = await db.query<ProtocolStep>({
    name: 'protocol-step',
    text: `select a.action_definition_id, a.parameters, d.name, a.only_states, a.only_severities, a.hours, a.hours_schedule_id from protocol_action a join action_definition d using (action_definition_id)
where a.protocol_action_id = $1 and (d.tenant_id is null or d.tenant_id = $2)`,
    values: [protocolActionId, run.tenant_id],
  });
  return step;
}

function tell(
  db: Db,
  run: ProtocolRun,
  historyType: 'ProtocolActionActivity' | 'ProtocolActionFailure',
  detail: string,
  isWarning = false,
): Promise<void> {
  return db.defer({
    name: 'protocol-note',
    text: `with noted as (insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, created_by, correlation_id, is_warning)
values ($1, $2, $3, $4, 'Automation', $5, $6) returning tenant_id, work_unit_note_id, correlation_id)
${changed(workUnitNotes, 'create', 'noted')}`,
    values: [run.work_unit_id, run.tenant_id, detail, historyType, run.correlation_id, isWarning],
  });
}

const late = (detail: ProtocolRun['detail']): string => {
  const seconds = Math.round(Number(detail['lateMs'] ?? 0) / 1_000);
  return seconds > 0 ? `, ${seconds} s late` : '';
};

/** Whether somebody is on call now in the schedule of the step; undefined if the step names none or it does not exist. */
async function isCovered(db: Db, { hours, hours_schedule_id: id }: ProtocolStep): Promise<boolean | undefined> {
  if (hours === 'Any' || id === null) return undefined;
  const now = currentTime();
  const [schedule] = await loadSchedules(db, [id], now, now + 1);
  return schedule && finalShifts(schedule, schedule.overrides, now, now + 1).length > 0;
}

/**
 * Why the step is not run now; undefined if it is run. The lock on the unit orders this and a concurrent acknowledgement: an
 * earlier one is seen here, and a later one stops the actions that this step starts.
 */
async function passedOver(db: Db, run: ProtocolRun, step: ProtocolStep): Promise<string | undefined> {
  const ends = run.detail['ends'] as StepEnd | undefined;
  if (!ends && step.only_states.length === 0 && step.only_severities.length === 0 && step.hours === 'Any') return undefined;
  const [unit] = await db.query<{ state_id: WorkUnitState; severity_id: string }>({
    name: 'protocol-unit',
    text: 'select state_id, severity_id from work_unit where work_unit_id = $1 for share',
    values: [run.work_unit_id],
  });
  if (!unit) return 'the work unit is no longer there';
  const ended = ends && endsBecause(ends.stopWhen, ends.eventState, unit.state_id);
  if (ended !== undefined) return ended;
  const conditions = { onlyStates: step.only_states, onlySeverities: step.only_severities, hours: step.hours };
  return skippedBecause(conditions, { stateId: unit.state_id, severityId: unit.severity_id, isCovered: await isCovered(db, step) });
}

/** `pending`: its outcome is; `blocked`: it waits for a step of an earlier event; `passed`: the next step can start now. */
type Started = 'pending' | 'blocked' | 'passed';

async function start(db: Db, run: ProtocolRun, index: number): Promise<Started> {
  const protocolActionId = run.steps[index] ?? '';
  const event = eventLabel(run.work_unit_event_type_id);
  const place = `${event}, step ${index + 1} of ${run.steps.length}${late(run.detail)}`;
  const step = await stepOf(db, run, protocolActionId);
  if (!step) {
    await tell(db, run, 'ProtocolActionFailure', `A step of the protocol was removed before its turn (${place}).`);
    return 'passed';
  }
  const why = run.hops >= maxHops ? undefined : await passedOver(db, run, step);
  // What says that nobody has answered says nothing that an earlier message could make untrue, and must not wait.
  if (run.hops < maxHops && why === undefined && run.work_unit_event_type_id !== onUnanswered && (await isEarlierStepAhead(db, run, step)))
    return 'blocked';
  const written = await writeExecutionOnce(db, {
    tenantId: run.tenant_id,
    actionDefinitionId: step.action_definition_id,
    messageId: stepId(run.event_id, protocolActionId),
    correlationId: run.correlation_id,
    referenceId: String(run.work_unit_id),
    parameters: { ...readParameters(step.parameters), ProtocolActionId: protocolActionId },
    // A chain of executions and changes that is longer than `maxHops` is taken for an endless loop, and stops here.
    suppressed: run.hops >= maxHops || why !== undefined,
    detail: {
      ...(run.hops >= maxHops ? { reason: 'loop' } : {}),
      ...(why === undefined ? {} : { reason: 'passedOver', why }),
      event,
      step: index + 1,
      steps: run.steps.length,
      ...(run.hops > 0 ? { hops: run.hops } : {}),
      ...run.detail,
    },
    workUnitId: run.work_unit_id,
    protocolActionId,
    protocolEventId: run.event_id,
  });
  if (written && run.hops >= maxHops)
    await tell(
      db,
      run,
      'ProtocolActionFailure',
      `${step.name} was not started (${place}): the protocol has led to itself ${run.hops} times.`,
    );
  else if (written && why !== undefined) await tell(db, run, 'ProtocolActionActivity', `${step.name} was skipped (${place}): ${why}.`);
  else if (written) await tell(db, run, 'ProtocolActionActivity', `${step.name} started (${place}).`);
  return written && run.hops < maxHops && why === undefined ? 'pending' : 'passed';
}

const failureStatuses: readonly number[] = [resultStatus.failure, resultStatus.enqueueFailure];

/** Why the run ends after this step; undefined when the next step may start. */
function stopsAfter(step: StepOutcome): string | undefined {
  const name = step.name ?? 'a step';
  if (failureStatuses.includes(step.result_status_id)) return step.on_failure === 'Stop' ? `${name} failed` : undefined;
  return isOpen(step) && step.on_late === 'Stop' ? `${name} is late` : undefined;
}

const isOpen = (step: StepOutcome): boolean => step.result_status_id === resultStatus.enqueueSuccess && !step.isKept;

async function end(db: Db, eventId: string): Promise<void> {
  await db.query({ name: 'protocol-end', text: 'delete from protocol_run where event_id = $1', values: [eventId] });
}

/**
 * Decides from the started steps whether the run waits, ends or starts its next step. Records a step whose worker was lost as
 * failed.
 */
async function judge(db: Db, run: ProtocolRun, steps: readonly StepOutcome[]): Promise<'wait' | 'end' | 'start'> {
  for (const step of steps) {
    if (isOpen(step) && !step.expected) {
      // Recording the outcome queues the next step.
      await recordResult(db, step.message_id, { succeeded: false, detail: { error: 'The worker that ran it was lost.' } });
      return 'wait';
    }
    const why = isOpen(step) && !step.late ? undefined : stopsAfter(step);
    if (why !== undefined) {
      const left = run.steps.length - steps.length;
      if (left > 0)
        await tell(
          db,
          run,
          'ProtocolActionFailure',
          `The protocol stopped: ${why}. ${left === 1 ? '1 step was' : `${left} steps were`} not started.`,
        );
      return 'end';
    }
    if (isOpen(step) && !step.late) return 'wait';
  }
  const last = steps.at(-1);
  if (last && isOpen(last) && steps.length < run.steps.length)
    await tell(
      db,
      run,
      'ProtocolActionActivity',
      `${last.name ?? 'A step'} is late and is still being tried; the protocol continues.`,
      true,
    );
  return 'start';
}

/** Starts the steps that have not begun, until one has a pending outcome or is blocked. The run is over if none is. */
async function startNext(db: Db, run: ProtocolRun, begun: ReadonlySet<string | null>): Promise<{ isOver: boolean; isFurther: boolean }> {
  let isFurther = false;
  for (const [index, id] of run.steps.entries()) {
    const started = begun.has(id) ? undefined : await start(db, run, index);
    if (started !== undefined && started !== 'blocked') isFurther = true;
    if (started === 'pending' || started === 'blocked') return { isOver: false, isFurther };
  }
  return { isOver: true, isFurther: true };
}

/**
 * Starts the next step if the previous one has its outcome or is late, unless that ends the run. Deletes the run at its end.
 */
export function advanceRun(db: Db, eventId: string): Promise<void> {
  return db.transaction(async (tx) => {
    // The lock keeps two workers from starting the same step.
    const [run] = await tx.query<ProtocolRun>({
      name: 'protocol-look',
      text: `update protocol_run set looked = now() where event_id = $1
returning event_id, tenant_id, work_unit_id, place, work_unit_event_type_id, steps, detail, correlation_id, hops`,
      values: [eventId],
    });
    if (!run) return;
    const steps = await tx.query<StepOutcome>({ name: 'protocol-done', text: doneSteps, values: [eventId] });
    const verdict = await judge(tx, run, steps);
    if (verdict === 'wait') return;
    const begun = new Set(steps.map((step) => step.protocol_action_id));
    const { isOver, isFurther } = verdict === 'start' ? await startNext(tx, run, begun) : { isOver: true, isFurther: true };
    if (isOver) await end(tx, eventId);
    // Not if it is blocked itself: otherwise many runs would wake each other again and again.
    if (isFurther) await wakeLaterRuns(tx, run);
  });
}

/** Advances runs whose latest step is late, and runs that were not advanced for a minute and have no job of a step. */
export async function sweepRuns(db: Db, atOnce = 500): Promise<void> {
  const rows = await db.query<{ event_id: string }>({
    text: `select event_id from protocol_run r where looked < now() - interval '1 minute'
and not exists (select from action_history h join job j on j.once_key = h.message_id::text where h.protocol_event_id = r.event_id and j.dead_at is null and j.name = $2)
union all
select r.event_id from protocol_run r cross join lateral (
  select h.result_status_id, h.action_processed, h.protocol_action_id from action_history h where h.protocol_event_id = r.event_id order by h.action_history_id desc limit 1
) latest join protocol_action a using (protocol_action_id)
where latest.result_status_id = ${resultStatus.enqueueSuccess} and latest.action_processed + make_interval(secs => a.late_after) <= now()
limit $1`,
    values: [atOnce, runActionName],
  });
  await eachApart(rows, (row) => advanceRun(db, row.event_id));
}
