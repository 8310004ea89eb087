/** Records the outcome of an execution once, also in the feed of its work unit. An outcome is never overwritten. */
import { resultStatus } from '@cloudfit/contract/enums.ts';
import type { Db } from '../db/connection.ts';
import { enqueue } from '../jobs/queue.ts';

/** How an action ended. `detail` is shown to people. */
export interface ActionResult {
  succeeded: boolean;
  detail: Record<string, unknown>;
}

/** Thrown when no further attempt of the action can succeed. */
export class ActionFailure extends Error {
  readonly detail: Record<string, unknown>;
  constructor(message: string, detail: Record<string, unknown> = {}) {
    super(message);
    this.name = 'ActionFailure';
    this.detail = detail;
  }
}

const record = `with done as (
  update action_history set result_status_id = $2, result_detail = coalesce(result_detail, '{}') || $3::jsonb, action_processed = now()
  where message_id = $1 and result_status_id = ${resultStatus.enqueueSuccess}
  returning tenant_id, action_history_id, correlation_id, work_unit_id, action_definition_id, result_detail, protocol_event_id
), noted as (
  insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, created_by, correlation_id)
  select d.work_unit_id, d.tenant_id, left(coalesce(a.name, 'An action') || case when $2 = ${resultStatus.success} then ' succeeded.' else ' failed: ' || coalesce(d.result_detail->>'error', 'no reason given') end, 4000),
    case when $2 = ${resultStatus.success} then 'ProtocolActionActivity' else 'ProtocolActionFailure' end, 'Automation', d.correlation_id
  from done d left join action_definition a using (action_definition_id) where d.work_unit_id is not null
), changed as (
  insert into change (tenant_id, verb, entity, entity_id, correlation_id)
  select tenant_id, 'update', 'actionHistories', action_history_id::text, correlation_id from done
)
select tenant_id, correlation_id, protocol_event_id from done where protocol_event_id is not null`;

export async function recordResult(db: Db, messageId: string, result: ActionResult): Promise<void> {
  const status = result.succeeded ? resultStatus.success : resultStatus.failure;
  await db.transaction(async (tx) => {
    const [step] = await tx.query<{ tenant_id: string; correlation_id: string; protocol_event_id: string }>({
      name: 'action-result',
      text: record,
      values: [messageId, status, JSON.stringify(result.detail)],
    });
    // With the outcome of a step the next one may start.
    if (step)
      await enqueue(tx, {
        name: 'protocol-steps',
        payload: { eventId: step.protocol_event_id },
        tenantId: step.tenant_id,
        correlationId: step.correlation_id,
      });
  });
}

/** Records a failed attempt that will be repeated; the execution stays queued. */
export async function recordAttempt(db: Db, messageId: string, attempt: number, error: string): Promise<void> {
  await db.query({
    name: 'action-attempt',
    text: `with tried as (
  update action_history set result_detail = coalesce(result_detail, '{}') || jsonb_build_object('attempt', $2::int, 'error', $3::text)
  where message_id = $1 and result_status_id = ${resultStatus.enqueueSuccess} returning tenant_id, action_history_id, correlation_id
)
insert into change (tenant_id, verb, entity, entity_id, correlation_id)
select tenant_id, 'update', 'actionHistories', action_history_id::text, correlation_id from tried`,
    values: [messageId, attempt, error],
  });
}
