/** Records what became of an execution, once: an outcome is never overwritten. The feed of its work unit says it too. */
import { resultStatus } from '@cloudfit/contract/enums.ts';
import type { Db } from '../db/connection.ts';

/** How an action ended. `detail` is shown to people. */
export interface ActionResult {
  succeeded: boolean;
  detail: Record<string, unknown>;
}

/** Thrown where an action cannot succeed however often it is tried. */
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
  returning tenant_id, action_history_id, correlation_id, work_unit_id, action_definition_id, result_detail
), noted as (
  insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, created_by, correlation_id)
  select d.work_unit_id, d.tenant_id, left(coalesce(a.name, 'An action') || case when $2 = ${resultStatus.success} then ' succeeded.' else ' failed: ' || coalesce(d.result_detail->>'error', 'no reason given') end, 4000),
    case when $2 = ${resultStatus.success} then 'ProtocolActionActivity' else 'ProtocolActionFailure' end, 'Automation', d.correlation_id
  from done d left join action_definition a using (action_definition_id) where d.work_unit_id is not null
)
insert into change (tenant_id, verb, entity, entity_id, correlation_id)
select tenant_id, 'update', 'actionHistories', action_history_id::text, correlation_id from done`;

export async function recordResult(db: Db, messageId: string, result: ActionResult): Promise<void> {
  const status = result.succeeded ? resultStatus.success : resultStatus.failure;
  await db.query({ name: 'action-result', text: record, values: [messageId, status, JSON.stringify(result.detail)] });
}

/** Notes a try that failed and will be repeated; the execution stays queued. */
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
