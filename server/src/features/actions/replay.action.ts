/** Runs a finished execution once more. The new execution has the same inputs and refers to the original. */
import { replayExecution } from '@cloudfit/contract/actions/protocols.ts';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { ApiError, notFound } from '@cloudfit/contract/errors.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { actorName, inTransaction, requirePermission } from '../../context/ctx.ts';
import { writeExecutionOnce, type NewExecution } from '../../executions/executions.ts';
import { implement } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import { servedActionHistories } from './actions.served.ts';

interface OriginalExecution {
  message_id: string;
  tenant_id: string;
  action_definition_id: string;
  result_status_id: number;
  input_parameters: string;
  result_detail: Record<string, unknown> | null;
  reference_id: string | null;
  work_unit_id: number | null;
  protocol_action_id: string | null;
  kept_since: string | null;
  replays: number;
}

// Locked, so that simultaneous replays are serialised. The id of a replay derives from the number of earlier replays, so a
// duplicate is refused.
const original = `select message_id, tenant_id, action_definition_id, result_status_id, input_parameters, result_detail, reference_id, work_unit_id,
  protocol_action_id, kept_since, (select count(*)::int from action_history r where r.result_detail->>'replayOf' = h.message_id::text) as replays
from action_history h where h.action_history_id = $1 for update of h`;

/** The parts of the original's record that say what caused it, without its outcome. */
const copiedDetails: readonly string[] = ['phase', 'test', 'event', 'step', 'steps', 'due'];

export const replayExecutionAction = implement(replayExecution, (outside, { id }) =>
  inTransaction(outside, async (ctx) => {
    const { tenantId } = await get(ctx, servedActionHistories, id);
    requirePermission(ctx, 'ActionDefinitions', 'edit', tenantId);
    const [row] = await ctx.db.query<OriginalExecution>({ text: original, values: [id] });
    if (!row) throw notFound('Action History');
    if (row.kept_since)
      throw new ApiError('Conflict', 'This mail waits in the outbox, because no mail server is set. It is sent when one is set.');
    if (row.result_status_id === resultStatus.enqueueSuccess)
      throw new ApiError('Conflict', 'This execution still runs; only a finished one can be replayed.');
    if (row.result_detail?.['reason'] === 'rejected') throw new ApiError('Conflict', 'A rejected action cannot be replayed.');
    const detail = Object.fromEntries(Object.entries(row.result_detail ?? {}).filter(([name]) => copiedDetails.includes(name)));
    const execution: NewExecution = {
      tenantId,
      actionDefinitionId: row.action_definition_id,
      messageId: uuidV5(row.message_id, `replay:${row.replays + 1}`),
      correlationId: ctx.correlationId,
      referenceId: row.reference_id,
      parameters: JSON.parse(row.input_parameters) as NewExecution['parameters'],
      suppressed: false,
      detail: { ...detail, replayOf: row.message_id, by: actorName(ctx) },
      ...(row.work_unit_id === null ? {} : { workUnitId: row.work_unit_id }),
      ...(row.protocol_action_id === null ? {} : { protocolActionId: row.protocol_action_id }),
    };
    if (!(await writeExecutionOnce(ctx.db, execution))) throw new ApiError('Conflict', 'This execution is being replayed already.');
    await recordAudit(ctx.db, {
      actor: { ...ctx.actor, name: actorName(ctx) },
      verb: 'replay',
      entity: 'actionHistories',
      entityId: String(id),
      tenantId,
      after: { messageId: execution.messageId, replayOf: row.message_id },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
    return { id: execution.messageId, replayOf: row.message_id };
  }),
);
