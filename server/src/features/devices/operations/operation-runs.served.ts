import type { Row } from '@cloudfit/contract/resource.ts';
import type { deviceOperations } from '@cloudfit/contract/resources/device-operations.ts';
import { operationRuns } from '@cloudfit/contract/resources/operation-runs.ts';
import { actorName, type Ctx } from '../../../context/ctx.ts';
import { serve } from '../../../resources/served.ts';

type DeviceOperationRow = Row<typeof deviceOperations>;

export const servedOperationRuns = serve(operationRuns, 'operation_run');

/**
 * Writes the runs of an operation's requests: a new request becomes a queued run at once, even if no agent ever starts it; a
 * withdrawn request ends its run.
 */
export async function followRequest(ctx: Ctx, before: DeviceOperationRow | null, after: DeviceOperationRow): Promise<void> {
  const left = before?.completionToken ?? null;
  if (left !== null && (left !== after.completionToken || after.isDeleted) && !after.operationComplete)
    await ctx.db.defer({
      name: 'operation-run-withdrawn',
      text: `update operation_run set status = 'Dequeued', ended = $2, modified = $2, message = $3
        where operation_run_id = $1 and status = 'Queued'`,
      values: [left, ctx.now().toISOString(), `${actorName(ctx)} withdrew the request.`],
    });
  if (after.completionToken === null || after.completionToken === left) return;
  await ctx.db.defer({
    name: 'operation-run-queued',
    text: `insert into operation_run (operation_run_id, tenant_id, device_id, device_operation_id, status, requested_by, started)
      values ($1, $2, $3, $4, 'Queued', $5, $6)`,
    values: [after.completionToken, after.tenantId, after.deviceId, after.deviceOperationId, actorName(ctx), ctx.now().toISOString()],
  });
}
