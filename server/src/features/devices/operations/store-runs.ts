/** Stores the runs that an agent reports, and completes the requests that they answer. */
import { sql } from '../../../db/sql.ts';
import type { AgentRun, AgentRuns } from '@cloudfit/contract/agent/runs.ts';
import { operationRuns } from '@cloudfit/contract/resources/operation-runs.ts';
import { inTransaction, type Ctx } from '../../../context/ctx.ts';
import { changed } from '../../../db/changed.ts';
import { writeRecorded } from '../../../resources/record.ts';
import { requireAgentDevice } from '../agent/requester.ts';
import { announceConfiguration } from '../announce.ts';
import { servedDeviceOperations, type DeviceOperationRow } from './device-operations.served.ts';

interface StoredRun {
  id: string;
  deviceOperationId: string;
  /** Whether somebody may be watching: the run was requested, is running, or was reported as open before. */
  watched: boolean;
}

// A run that has ended is not changed, so that a report that arrives twice or late has no effect. The run of skipped executions
// changes, because it counts them. The refusal of a run's packet arrives before or after the report of its end: the run has the status
// and the reason of the refusal, and the rest of its own report. Times in the future are replaced by now, so that the runs of an agent with a fast
// clock do not stay above newer ones.
const keep = `with given as (
  select r.*, o.tenant_id as tenant, o.device_id as device
  from json_to_recordset($2::json) as r (id uuid, operation uuid, requested boolean, status text, started timestamptz, ended timestamptz,
    duration_ms int, exit_code int, value text, message text, progress int, output text)
  join device_operation o on o.device_operation_id = r.operation and o.device_id = $1
), earlier as (
  select k.operation_run_id, k.ended is null as open from operation_run k join given g on g.id = k.operation_run_id
), written as (
  insert into operation_run as k (operation_run_id, tenant_id, device_id, device_operation_id, status, started, ended, duration_ms, exit_code, value, message, progress, output, created, modified)
  select id, tenant, device, operation, status, least(started, $3::timestamptz), case when ended is not null then least(ended, $3::timestamptz) end, duration_ms, exit_code, value, message, progress, output, $3, $3 from given
  on conflict (operation_run_id) do update set
    status = case when k.status = 'Refused' then k.status else excluded.status end,
    message = case when k.status = 'Refused' then k.message else excluded.message end,
    started = excluded.started,
    ended = case when excluded.status = 'Refused' then coalesce(k.ended, excluded.ended) else coalesce(excluded.ended, k.ended) end,
    duration_ms = coalesce(excluded.duration_ms, k.duration_ms), exit_code = coalesce(excluded.exit_code, k.exit_code),
    value = coalesce(excluded.value, k.value), progress = coalesce(excluded.progress, k.progress),
    output = coalesce(excluded.output, k.output), modified = excluded.modified
  where k.device_operation_id = excluded.device_operation_id
    and (k.ended is null or k.status = 'Skipped' or (k.status = 'Refused') <> (excluded.status = 'Refused'))
  returning operation_run_id, device_operation_id, status
)
select k.operation_run_id as id, k.device_operation_id as "deviceOperationId",
  g.requested or k.status = 'Running' or coalesce(e.open, false) as watched
from written k join given g on g.id = k.operation_run_id left join earlier e on e.operation_run_id = k.operation_run_id`;

const announce = changed(operationRuns, 'update', '(select $1::uuid as tenant_id, unnest($3::uuid[]) as operation_run_id) r', '$2');

export function storeAgentRuns(ctx: Ctx, { runs }: AgentRuns): Promise<{ stored: number }> {
  return inTransaction(ctx, async (ctx) => {
    const device = await requireAgentDevice(ctx);
    // Of several reports about one run only the last one counts, and one statement can write a row only once.
    const byId = new Map<string, AgentRun>();
    for (const run of runs) byId.set(run.operationRunId, latestOf(byId.get(run.operationRunId), run));
    const latest = [...byId.values()];
    // Locks the requests before the runs, as a dequeue does: two transactions that lock in different orders would deadlock.
    for (const { completionToken, ended, deviceOperationId } of latest)
      if (completionToken !== null && ended !== null) await complete(ctx, device.deviceId, deviceOperationId, completionToken);
    const storedRuns = await ctx.db.query<StoredRun>({
      name: 'agent-runs',
      text: keep,
      values: [device.deviceId, JSON.stringify(latest.map(asRow)), ctx.now().toISOString()],
    });
    const watched = storedRuns.filter((run) => run.watched).map((run) => run.id);
    if (watched.length > 0)
      await ctx.db.query({ name: 'agent-runs-changed', text: announce, values: [device.tenantId, ctx.correlationId, watched] });
    return { stored: storedRuns.length };
  });
}

/** A refusal gives the other report of its run only its status and reason, as the statement does with stored ones. */
function latestOf(earlier: AgentRun | undefined, run: AgentRun): AgentRun {
  if (earlier?.status === 'Refused') return { ...run, status: 'Refused', message: earlier.message, ended: run.ended ?? earlier.ended };
  if (!earlier || run.status !== 'Refused') return run;
  return { ...earlier, status: 'Refused', message: run.message, ended: earlier.ended ?? run.ended };
}

function asRow(run: AgentRun) {
  return {
    id: run.operationRunId,
    operation: run.deviceOperationId,
    requested: run.completionToken !== null,
    status: run.status,
    started: run.started,
    ended: run.ended,
    duration_ms: run.durationMs,
    exit_code: run.exitCode,
    value: run.value,
    message: run.message,
    progress: run.progress,
    output: run.output,
  };
}

/** Completes the request with this token; a newer request stays queued. */
async function complete(ctx: Ctx, deviceId: string, deviceOperationId: string, token: string): Promise<void> {
  const [before] = await ctx.db.query<Pick<DeviceOperationRow, 'tenantId'>>({
    name: 'operation-requested',
    text: `select tenant_id as "tenantId" from device_operation
      where device_operation_id = $1 and device_id = $2 and completion_token = $3 and not operation_complete for no key update`,
    values: [deviceOperationId, deviceId, token],
  });
  if (!before) return;
  const write = sql`update device_operation set operation_complete = true, completion_token = null, queued_until = null, modified = now(), version = version + 1
    where device_operation_id = ${deviceOperationId}::uuid and completion_token = ${token}::uuid returning *`;
  await writeRecorded(ctx, servedDeviceOperations, 'update', write, {
    tenantId: before.tenantId,
    operationComplete: false,
    completionToken: token,
  });
  await announceConfiguration(ctx, deviceId);
}
