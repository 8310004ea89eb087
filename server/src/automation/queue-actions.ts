/** Records the executions that a match causes and queues those that are to run, in the caller's transaction. */
import { resultStatus } from '@cloudfit/contract/enums.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import type { Db } from '../db/connection.ts';
import { enqueueAll } from '../jobs/queue.ts';
import { executionId, type Phase } from './execution-id.ts';

/** Why an action is recorded but not run. */
export type SuppressedBecause = 'late' | 'maintenance';

/** The actions of one phase of one match. */
export interface ActionsOfMatch {
  ruleMatchId: string;
  tenantId: string;
  correlationId: string;
  phase: Phase;
  calls: readonly ActionCall[];
  suppressed?: SuppressedBecause | undefined;
}

/** Name of the job that runs one execution. */
export const runActionName = 'run-action';

const insert = `insert into action_history (tenant_id, action_definition_id, result_status_id, input_parameters, result_detail, correlation_id, reference_id, message_id)
select tenant_id, action_definition_id, result_status_id, input_parameters, result_detail, correlation_id, reference_id, message_id
from jsonb_to_recordset($1::jsonb) as a (tenant_id uuid, action_definition_id uuid, result_status_id int, input_parameters text, result_detail jsonb,
  correlation_id uuid, reference_id text, message_id uuid)
on conflict (message_id) do nothing`;

function executionsOf(match: ActionsOfMatch) {
  return match.calls.map((call, index) => ({
    tenant_id: match.tenantId,
    action_definition_id: call.ActionDefinitionId,
    result_status_id: match.suppressed ? resultStatus.suppressed : resultStatus.enqueueSuccess,
    input_parameters: JSON.stringify(call.Parameters),
    result_detail: match.suppressed ? { reason: match.suppressed, phase: match.phase } : { phase: match.phase },
    correlation_id: match.correlationId,
    reference_id: match.ruleMatchId,
    message_id: executionId(match.ruleMatchId, match.phase, index),
  }));
}

/** In a transaction. One history row per action; a job for each that is not suppressed. Repeating it adds nothing. */
export async function queueActions(db: Db, matches: readonly ActionsOfMatch[]): Promise<void> {
  const executions = matches.flatMap(executionsOf);
  if (executions.length === 0) return;
  const jobs = executions
    .filter((execution) => execution.result_status_id === resultStatus.enqueueSuccess)
    .map((execution) => ({
      name: runActionName,
      payload: { messageId: execution.message_id },
      tenantId: execution.tenant_id,
      correlationId: execution.correlation_id,
      onceKey: execution.message_id,
    }));
  await db.defer({ name: 'action-history-insert', text: insert, values: [JSON.stringify(executions)] });
  await enqueueAll(db, jobs);
}
