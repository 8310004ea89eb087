/** Revives dead letters: the job starts with its first attempt, and its execution is queued again. */
import { replayJob } from '@cloudfit/contract/actions/automation.ts';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { actorName, inTransaction, requirePermission } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import { notify } from '../../db/notify.ts';
import { runActionName } from '../../executions/executions.ts';
import { implement } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { servedJobs } from './outbox.served.ts';

const revive = `update job set dead_at = null, attempts = 0, leased_until = null, leased_by = null, run_at = date_trunc('milliseconds', now())
where job_id = $1 and dead_at is not null returning name, payload->>'messageId' as message_id`;

// The only case in which an outcome is overwritten: a person repeats the same execution under the same message id.
const queueAgain = `with again as (
  update action_history set result_status_id = ${resultStatus.enqueueSuccess}, result_detail = coalesce(result_detail, '{}') || '{"replayed": true}', action_processed = now()
  where message_id = $1 and result_status_id = ${resultStatus.failure} returning tenant_id, action_history_id, correlation_id
)
${changed(actionHistories, 'update', 'again')}`;

export const replayJobAction = implement(replayJob, (outside, { id }) =>
  inTransaction(outside, async (ctx) => {
    const before = await get(ctx, servedJobs, id, { lock: 'edit' });
    const { tenantId } = before;
    requirePermission(ctx, 'Settings', 'edit', tenantId);
    const [job] = await ctx.db.query<{ name: string; message_id: string | null }>({ text: revive, values: [id] });
    if (!job) throw new ApiError('Conflict', 'Only a job of the dead letters can be tried again.');
    if (job.name === runActionName) await ctx.db.query({ text: queueAgain, values: [job.message_id] });
    await recordAudit(ctx.db, {
      actor: { ...ctx.actor, name: actorName(ctx) },
      verb: 'replay',
      entity: 'jobs',
      entityId: String(id),
      tenantId,
      before: { deadAt: before.deadAt, attempts: before.attempts, lastError: before.lastError },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
    await notify(ctx.db, 'jobs');
    return get(ctx, servedJobs, id);
  }),
);
