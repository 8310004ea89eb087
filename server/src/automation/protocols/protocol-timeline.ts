/** Steps of a protocol that wait: stored with their due times, and ended if somebody acts before. */
import { resultStatus, type StopWhen, type WorkUnitState } from '@cloudfit/contract/enums.ts';
import { endsBecause } from '@cloudfit/contract/protocols/timeline.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { outboxMessages } from '@cloudfit/contract/resources/outbox.ts';
import { plannedSteps } from '@cloudfit/contract/resources/protocol-actions.ts';
import { changed } from '../../db/changed.ts';
import type { Db } from '../../db/db.ts';
import { enqueueAll } from '../../jobs/queue.ts';
import { protocolStepsName, type ProtocolEvent } from './protocol-event.ts';

/** Which changes of the unit end a waiting step or message, and the state of the unit at its event, for the comparison. */
export interface StepEnd {
  stopWhen: StopWhen;
  eventState: WorkUnitState;
  /** The call back that the message is about: it ends when somebody takes it. */
  callBackId?: string;
}

// A step that has a row is waiting or has waited, so a repeated event adds nothing.
const plan = `with planned as (insert into planned_step (event_id, protocol_action_id, tenant_id, work_unit_id, protocol_id, work_unit_event_type_id, event_state_id, name, sequence,
  due, repeat_every, runs_left, stop_when, detail, correlation_id, hops, created)
select e."eventId", a.protocol_action_id, e."tenantId", e."workUnitId", e."protocolId", e."eventTypeId", coalesce(e."stateId", w.state_id),
  coalesce(a.summary, d.name), a.sequence, coalesce(e.at, now()) + make_interval(secs => a.wait), a.repeat_every,
  case when a.repeat_every is null then 0 else coalesce(a.repeat_times, 0) end, a.stop_when, e.detail, e."correlationId", e.hops, coalesce(e.at, now())
from jsonb_to_recordset($1::jsonb) as e ("eventId" uuid, "tenantId" uuid, "workUnitId" bigint, "protocolId" uuid, "eventTypeId" int, "stateId" text,
  at timestamptz, detail jsonb, "correlationId" uuid, hops int)
join work_unit w on w.work_unit_id = e."workUnitId"
join protocol_action a on a.protocol_id = e."protocolId" and a.work_unit_event_type_id = e."eventTypeId" and a.wait is not null
  and (a.tenant_id is null or a.tenant_id = e."tenantId")
join action_definition d on d.action_definition_id = a.action_definition_id
on conflict (event_id, protocol_action_id) do nothing returning tenant_id, planned_step_id, correlation_id)
${changed(plannedSteps, 'create', 'planned')}`;

/** Plans the steps that wait. Call it in the transaction that begins the events. */
export async function planSteps(db: Db, events: readonly ProtocolEvent[]): Promise<void> {
  await db.defer({ name: 'steps-plan', text: plan, values: [JSON.stringify(events)] });
}

interface WaitingStep {
  id: string;
  stop_when: StopWhen;
  event_state_id: WorkUnitState;
  protocol_id: string;
}

const endSteps = `with ended as (
  update planned_step p set ended = now(), reason = s.reason from jsonb_to_recordset($1::jsonb) as s (id uuid, reason text)
  where p.planned_step_id = s.id and p.ended is null returning p.planned_step_id, p.tenant_id, p.work_unit_id, p.name, p.reason, p.correlation_id
), noted as (
  insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, created_by, correlation_id)
  select work_unit_id, tenant_id, left(name || ' will not run any more: ' || reason || '.', 4000), 'ProtocolActionActivity', 'Automation', correlation_id from ended
)
${changed(plannedSteps, 'update', 'ended')}`;

interface OpenMessage {
  message_id: string;
  ends: StepEnd;
  state_id: WorkUnitState;
}

// Stops messages like a stop by a person: no try starts after this statement.
const endMessages = `with stopped as (
  update action_history h set result_status_id = ${resultStatus.suppressed}, kept_since = null, next_try = null, action_processed = now(),
    result_detail = coalesce(h.result_detail, '{}') || jsonb_build_object('reason', 'ended', 'why', s.reason)
  from jsonb_to_recordset($1::jsonb) as s (message_id uuid, reason text)
  where h.message_id = s.message_id and h.result_status_id = ${resultStatus.enqueueSuccess}
  returning h.tenant_id, h.action_history_id, h.action_definition_id, h.correlation_id, h.message_id, h.work_unit_id, h.protocol_event_id, h.result_detail, s.reason
), queued as (
  delete from job j using stopped s where j.once_key = s.message_id::text
), stored as (
  delete from outbox_message o using stopped s where o.message_id = s.message_id returning o.tenant_id, o.outbox_message_id, o.correlation_id
), freed as (${changed(outboxMessages, 'delete', 'stored')}), waited as (
  delete from waiting_mail w using stopped s where w.message_id = s.message_id
), noted as (
  insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, created_by, correlation_id)
  select s.work_unit_id, s.tenant_id, left(coalesce(s.result_detail->>'label', a.name, 'An action') || ' was stopped: ' || s.reason || '.', 4000), 'ProtocolActionActivity', 'Automation',
    s.correlation_id
  from stopped s left join action_definition a using (action_definition_id) where s.work_unit_id is not null
), changed as (${changed(actionHistories, 'update', 'stopped')})
select distinct tenant_id, protocol_event_id, correlation_id from stopped where protocol_event_id is not null`;

/** Ends waiting steps of the unit if its new state or protocol ends them, and messages without outcome if its state does. */
export async function endPlannedSteps(
  db: Db,
  unit: { workUnitId: number; stateId: WorkUnitState; protocolId: string | null },
  at: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    // Events may be handled in another order than they happened, so an event ends only steps that were planned before it.
    const steps = await tx.query<WaitingStep>({
      name: 'steps-waiting',
      text: `select planned_step_id as id, stop_when, event_state_id, protocol_id from planned_step
where work_unit_id = $1 and ended is null and created < $2`,
      values: [unit.workUnitId, at],
    });
    const ended = steps.flatMap(({ id, stop_when, event_state_id, protocol_id }) => {
      const reason =
        protocol_id === unit.protocolId ? endsBecause(stop_when, event_state_id, unit.stateId) : 'the work unit has another protocol';
      return reason === undefined ? [] : [{ id, reason }];
    });
    if (ended.length > 0) await tx.defer({ name: 'steps-end', text: endSteps, values: [JSON.stringify(ended)] });
    const messages = await tx.query<OpenMessage>({
      name: 'messages-open',
      text: `select h.message_id, h.result_detail->'ends' as ends, w.state_id from action_history h join work_unit w using (work_unit_id)
where h.work_unit_id = $1 and h.result_status_id = ${resultStatus.enqueueSuccess} and h.result_detail ? 'ends'`,
      values: [unit.workUnitId],
    });
    const stopped = messages.flatMap(({ message_id, ends, state_id }) => {
      const reason = endsBecause(ends.stopWhen, ends.eventState, state_id);
      return reason === undefined ? [] : [{ message_id, reason }];
    });
    if (stopped.length === 0) return;
    const runs = await tx.query<{ tenant_id: string; protocol_event_id: string; correlation_id: string }>({
      name: 'messages-end',
      text: endMessages,
      values: [JSON.stringify(stopped)],
    });
    await enqueueAll(
      tx,
      runs.map((run) => ({
        name: protocolStepsName,
        payload: { eventId: run.protocol_event_id },
        tenantId: run.tenant_id,
        correlationId: run.correlation_id,
      })),
    );
  });
}
