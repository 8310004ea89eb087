/** Writes executions of actions: a history row for each and, unless it is suppressed, the job that runs it. */
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { changed } from '../db/changed.ts';
import type { Db } from '../db/db.ts';
import { enqueueAll } from '../jobs/queue.ts';
import { currentTime } from '../platform/clock.ts';

/** Name of the job that runs one execution. */
export const runActionName = 'run-action';

/** Maximum time that an action of a match delays the next action while no try of it runs or is due, counted from its first try. */
export const maxHoldMs = 30_000;

/** Maximum length of a chain of calls and changes; a longer chain is treated as an endless loop. */
export const maxHops = 8;

export interface NewExecution {
  tenantId: string;
  actionDefinitionId: string;
  /** Unique: a second execution with this id is not written. */
  messageId: string;
  correlationId: string;
  /** The row that the execution is about: a rule match or a work unit. */
  referenceId: string | null;
  parameters: Readonly<Record<string, string | number | boolean | null>>;
  /** Recorded as Suppressed and not run. */
  suppressed: boolean;
  detail: Readonly<Record<string, unknown>>;
  /** For a step of a protocol, or a message about a unit: the work unit. `protocolActionId`: the action of the protocol. */
  workUnitId?: number;
  protocolActionId?: string;
  /** The event of the protocol whose next step waits for the outcome of this execution. */
  protocolEventId?: string;
  /** `messageId` of the previous execution: this one starts when the previous one has ended, or no try of it runs or is due `maxHoldMs` after its start. */
  follows?: string | undefined;
  /**
   * The number of earlier executions in the chain that have not begun. If they never begin, this one becomes due after
   * `queuedBefore` times `maxHoldMs`.
   */
  queuedBefore?: number;
  /** When the execution runs; by default at once. */
  runAt?: Date;
}

const insert = `with written as (
  insert into action_history (tenant_id, action_definition_id, result_status_id, input_parameters, result_detail, correlation_id, reference_id, message_id,
    work_unit_id, protocol_action_id, protocol_event_id, follows)
  select tenant_id, action_definition_id, result_status_id, input_parameters, result_detail, correlation_id, reference_id, message_id, work_unit_id, protocol_action_id,
    protocol_event_id, follows
  from jsonb_to_recordset($1::jsonb) as a (tenant_id uuid, action_definition_id uuid, result_status_id int, input_parameters text, result_detail jsonb,
    correlation_id uuid, reference_id text, message_id uuid, work_unit_id bigint, protocol_action_id uuid, protocol_event_id uuid, follows uuid)
  on conflict (message_id) do nothing returning tenant_id, action_history_id, correlation_id
)
${changed(actionHistories, 'create', 'written')}`;

/** The statement that inserts these rows from one JSON parameter; ids that exist are skipped. */
function executionInsert(executions: readonly NewExecution[]): { text: string; values: [string] } {
  const rows = executions.map((execution) => ({
    tenant_id: execution.tenantId,
    action_definition_id: execution.actionDefinitionId,
    result_status_id: execution.suppressed ? resultStatus.suppressed : resultStatus.enqueueSuccess,
    input_parameters: JSON.stringify(execution.parameters),
    result_detail: execution.detail,
    correlation_id: execution.correlationId,
    reference_id: execution.referenceId,
    message_id: execution.messageId,
    work_unit_id: execution.workUnitId,
    protocol_action_id: execution.protocolActionId,
    protocol_event_id: execution.protocolEventId,
    follows: execution.follows,
  }));
  return { text: insert, values: [JSON.stringify(rows)] };
}

/** Queues the executions that are not suppressed. */
function enqueueExecutions(db: Db, executions: readonly NewExecution[]): Promise<void> {
  const jobs = executions
    .filter((execution) => !execution.suppressed)
    .map((execution) => ({
      name: runActionName,
      payload: { messageId: execution.messageId },
      tenantId: execution.tenantId,
      correlationId: execution.correlationId,
      onceKey: execution.messageId,
      ...(execution.runAt
        ? { runAt: execution.runAt }
        : execution.queuedBefore
          ? { runAt: new Date(currentTime() + execution.queuedBefore * maxHoldMs) }
          : {}),
    }));
  return enqueueAll(db, jobs);
}

/** Writes the executions; in a transaction it does not wait for the result. A repeated call adds nothing. */
export async function writeExecutions(db: Db, executions: readonly NewExecution[]): Promise<void> {
  if (executions.length === 0) return;
  await db.defer({ name: 'action-history-insert', ...executionInsert(executions) });
  await enqueueExecutions(db, executions);
}

/** Writes one execution; call it in a transaction. Returns false, and writes nothing, if an execution with this id exists. */
export async function writeExecutionOnce(db: Db, execution: NewExecution): Promise<boolean> {
  const { text, values } = executionInsert([execution]);
  const rows = await db.query({ name: 'action-history-once', text: `${text} returning 1`, values });
  if (rows.length === 0) return false;
  await enqueueExecutions(db, [execution]);
  return true;
}

const wake = `with recursive line as (
  select f.message_id, 0 as nth from action_history f where f.follows = $1 and f.result_status_id = ${resultStatus.enqueueSuccess}
  union all
  select f.message_id, l.nth + 1 from line l join action_history f on f.follows = l.message_id and f.result_status_id = ${resultStatus.enqueueSuccess}
), woken as (
  update job j set run_at = date_trunc('milliseconds', now()) + l.nth * interval '1 millisecond' * ${maxHoldMs}
  from line l where j.once_key = l.message_id::text and j.dead_at is null and j.run_at > now() + l.nth * interval '1 millisecond' * ${maxHoldMs}
  returning l.nth
)
select 1 from woken where nth = 0`;

/**
 * Makes the execution that follows `messageId` due now, and the later ones of the chain due earlier. Call it in the transaction
 * that ends the execution `messageId`.
 */
export async function wakeFollowers(db: Db, messageId: string): Promise<void> {
  await db.defer({ name: 'wake-followers', text: wake, values: [messageId], wakesJobs: true });
}
