/** What people do with an execution that has not ended: retry it now, or stop it. */
import { stopExecution, tryExecutionNow } from '@cloudfit/contract/actions/protocols.ts';
import { outcomeLabel, resultStatus } from '@cloudfit/contract/enums.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { destinations } from '@cloudfit/contract/resources/destinations.ts';
import { outboxMessages } from '@cloudfit/contract/resources/outbox.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { actorName, inTransaction, may, requirePermission, type Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import { notify } from '../../db/notify.ts';
import { wakeFollowers } from '../../executions/executions.ts';
import { enqueue } from '../../jobs/queue.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { servedActionHistories } from './actions.served.ts';

type OpenExecution = Row<typeof actionHistories>;

/**
 * Returns the execution if the caller may retry and stop it: people who may edit actions, or work units if it belongs to a work
 * unit.
 */
async function editable(ctx: Ctx, id: number): Promise<OpenExecution> {
  const execution = await get(ctx, servedActionHistories, id);
  const { tenantId, workUnitId } = execution;
  if (workUnitId === null || !may(ctx, permission('WorkUnits', 'edit'), tenantId))
    requirePermission(ctx, 'ActionDefinitions', 'edit', tenantId);
  return execution;
}

function alreadyEnded(execution: OpenExecution): ApiError {
  return new ApiError('Conflict', `This execution has ended: ${outcomeLabel(execution)}.`);
}

function audit(ctx: Ctx, verb: string, { actionHistoryId, tenantId, messageId }: OpenExecution): Promise<void> {
  return recordAudit(ctx.db, {
    actor: { ...ctx.actor, name: actorName(ctx) },
    verb,
    entity: 'actionHistories',
    entityId: String(actionHistoryId),
    tenantId,
    after: { messageId },
    correlationId: ctx.correlationId,
    address: ctx.address,
  });
}

// While the circuit of the receiver is open, this requests a probe: the next call finds out whether the receiver
// answers.
const hurry = `with due as (
  update job set run_at = date_trunc('milliseconds', now())
  where once_key = $1 and dead_at is null and (leased_until is null or leased_until < now()) returning tenant_id, destination
), asked as (
  update destination d set paused_until = now() from due where d.tenant_id = due.tenant_id and d.origin = due.destination and d.disabled is null
    and d.paused_until > now() returning d.tenant_id, d.destination_id
), probed as (${changed(destinations, 'update', 'asked', 'uuidv7()')}), changed as (${changed(actionHistories, 'update', 'action_history where message_id = $1::uuid and exists (select from due)')})
update action_history set next_try = now() where message_id = $1::uuid and result_status_id = ${resultStatus.enqueueSuccess} and exists (select from due) returning 1`;

const tryNow = implement(tryExecutionNow, (outside, { id }) =>
  inTransaction(outside, async (ctx) => {
    const execution = await editable(ctx, id);
    if (execution.resultStatusId !== resultStatus.enqueueSuccess) throw alreadyEnded(execution);
    if (execution.keptSince)
      throw new ApiError('Conflict', 'This mail waits in the outbox, because no mail server is set. It is sent when one is set.');
    const moved = await ctx.db.query({ name: 'try-now', text: hurry, values: [execution.messageId] });
    if (moved.length === 0) return { isUnderWay: true };
    await audit(ctx, 'try', execution);
    await notify(ctx.db, 'jobs');
    await notify(ctx.db, 'calls');
    return { isUnderWay: false };
  }),
);

// Stops an execution. The update waits for the lock of a try that is about to start; after the update no try starts. The
// protocol of a stopped step continues with the next step at once, whatever the step says about failures or delays, because a
// person has handled it. The feed of the unit says so if the run was waiting for this step and has a next step.
const end = `with stopped as (
  update action_history set result_status_id = ${resultStatus.suppressed}, kept_since = null, next_try = null, action_processed = now(),
    result_detail = coalesce(result_detail, '{}') || jsonb_build_object('reason', 'stopped', 'stoppedBy', $2::text)
  where action_history_id = $1 and result_status_id = ${resultStatus.enqueueSuccess}
  returning tenant_id, action_history_id, action_definition_id, correlation_id, message_id, work_unit_id, protocol_event_id, protocol_action_id
), queued as (
  delete from job where once_key = (select message_id::text from stopped)
), stored as (
  delete from outbox_message where message_id = (select message_id from stopped) returning tenant_id, outbox_message_id, correlation_id
), freed as (${changed(outboxMessages, 'delete', 'stored')}), waited as (
  delete from waiting_mail where message_id = (select message_id from stopped)
), noted as (
  insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, created_by, correlation_id)
  select s.work_unit_id, s.tenant_id, coalesce(a.name, 'An action') || ' was stopped; it is not tried again.' || case when exists (
      select from protocol_run r where r.event_id = s.protocol_event_id and r.steps[cardinality(r.steps)] <> s.protocol_action_id
        and not exists (select from action_history h where h.protocol_event_id = r.event_id and h.action_history_id > s.action_history_id)
    ) then ' The protocol goes on with its next step.' else '' end, 'ProtocolActionActivity', $2, s.correlation_id
  from stopped s left join action_definition a using (action_definition_id) where s.work_unit_id is not null
), changed as (${changed(actionHistories, 'update', 'stopped')})
select protocol_event_id, correlation_id, message_id from stopped`;

// A try without an outcome counts as running for two minutes after its start; an older one was lost with its worker.
const underWay = `select 1 from action_try where action_history_id = $1 and duration_ms is null and error is null and started > now() - interval '2 minutes'`;

const stop = implement(stopExecution, (outside, { id }) =>
  inTransaction(outside, async (ctx) => {
    const execution = await editable(ctx, id);
    const [stopped] = await ctx.db.query<{ protocol_event_id: string | null; correlation_id: string; message_id: string }>({
      name: 'stop-execution',
      text: end,
      values: [id, actorName(ctx)],
    });
    const isUnderWay = (await ctx.db.query({ text: underWay, values: [id] })).length > 0;
    if (!stopped) {
      const now = await get(ctx, servedActionHistories, id);
      if (reasonOf(now) === 'stopped') return { isUnderWay };
      throw alreadyEnded(now);
    }
    await wakeFollowers(ctx.db, stopped.message_id);
    if (stopped.protocol_event_id !== null)
      await enqueue(ctx.db, {
        name: 'protocol-steps',
        payload: { eventId: stopped.protocol_event_id },
        tenantId: execution.tenantId,
        correlationId: stopped.correlation_id,
      });
    await audit(ctx, 'stop', execution);
    return { isUnderWay };
  }),
);

function reasonOf({ resultDetail }: OpenExecution): unknown {
  return (resultDetail as { reason?: unknown } | null)?.reason;
}

export const tryOrStopActions: readonly ImplementedAction[] = [tryNow, stop];
