/** Ends requests and runs whose end the device does not report, so that nobody waits for them. */
import type { Logger } from 'pino';
import { queuedRunHours } from '@cloudfit/contract/resources/device-operations.ts';
import { operationRuns } from '@cloudfit/contract/resources/operation-runs.ts';
import { systemCtx } from '../../../auth/system-ctx.ts';
import { inTransaction, type Ctx } from '../../../context/ctx.ts';
import { changed } from '../../../db/changed.ts';
import type { Database } from '../../../db/connection.ts';
import type { Periodic } from '../../../jobs/schedule.ts';
import { eachApart } from '../../../jobs/each-apart.ts';
import { setFields } from '../../../resources/update.ts';
import { logDevice } from '../log.served.ts';
import { servedDeviceOperations } from './device-operations.served.ts';

export const expiredText = 'Expired: the device did not answer';
const lostText = 'The device started the run and did not report its end.';

interface DueRequest {
  id: string;
  token: string;
}

// A request that an earlier version of the server stored has no `queued_until`.
const due = `select device_operation_id as id, completion_token as token from device_operation
  where completion_token is not null and not operation_complete and not is_deleted
    and coalesce(queued_until, modified + interval '${queuedRunHours} hours') <= $1 order by modified limit 500`;

function expire(ctx: Ctx, { id, token }: DueRequest): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    let isExpired = false;
    const row = await setFields(ctx, servedDeviceOperations, id, (before) => {
      // Meanwhile the agent may have answered, or somebody may have requested another run.
      isExpired = before.completionToken === token && !before.operationComplete;
      return isExpired ? { completionToken: null, queuedUntil: null } : {};
    });
    if (!isExpired) return;
    // Runs at once instead of with the commit: at the commit, a run that is still queued would count as withdrawn.
    await ctx.db.query({
      name: 'operation-run-expired',
      text: `update operation_run set status = case status when 'Queued' then 'Expired' else 'Interrupted' end,
          message = case status when 'Queued' then $3 else $4 end, ended = $2, modified = $2
        where operation_run_id = $1 and ended is null`,
      values: [token, ctx.now().toISOString(), expiredText, lostText],
    });
    await logDevice(ctx, {
      tenantId: row.tenantId,
      deviceId: row.deviceId,
      deviceOperationId: id,
      entryType: 'Warning',
      detail: `${expiredText}.`,
    });
  });
}

/**
 * Marks the runs that nobody has reported on for 24 hours as interrupted. Processes that are kept alive are exempt, because
 * they may run for years.
 */
const lost = `with lost as (
  update operation_run r set status = 'Interrupted', message = $2, ended = $1, modified = $1
    from device_operation o where o.device_operation_id = r.device_operation_id
      and r.ended is null and r.status = 'Running' and r.modified < $1::timestamptz - interval '24 hours' and (o.frequency_type_id <> 3 or not o.enabled or o.is_deleted)
  returning r.tenant_id, r.operation_run_id
)
${changed(operationRuns, 'update', 'lost', 'uuidv7()')}`;

export async function expireRequests(ctx: Ctx): Promise<void> {
  const requests = await ctx.db.query<DueRequest>({ name: 'operation-requests-due', text: due, values: [ctx.now().toISOString()] });
  await ctx.db.query({ name: 'operation-runs-lost', text: lost, values: [ctx.now().toISOString(), lostText] });
  await eachApart(requests, (request) => expire(ctx, request));
}

export function expireRequestsWork(database: Database, log: Logger): Periodic {
  return {
    name: 'expire-operation-requests',
    everyMs: 30_000,
    run: () => expireRequests(systemCtx({ database, log, name: 'Automation' })),
  };
}
