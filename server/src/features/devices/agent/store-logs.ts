/** Stores the log entries of an agent in the log of its device. */
import type { AgentLogs } from '@cloudfit/contract/agent/messages.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { requireAgentDevice } from './requester.ts';

/** The `deviceLoggingLevelId` None (DEV-029). */
const levelNone = 1;

export async function storeAgentLogs(ctx: Ctx, { entries }: Pick<AgentLogs, 'entries'>): Promise<{ stored: number }> {
  const device = await requireAgentDevice(ctx);
  if (device.loggingLevelId === levelNone) return { stored: 0 };
  await ctx.db.query({
    name: 'agent-logs',
    // Times in the future are replaced by now, so that an agent with a fast clock does not keep its entries above newer ones.
    text: `insert into device_log (tenant_id, device_id, device_operation_id, created, entry_type, detail)
      select $1, $2, o.device_operation_id, least(e.created, $4::timestamptz), e.entry_type, e.detail
      from rows from (json_to_recordset($3::json) as (created timestamptz, entry_type text, detail text, device_operation_id uuid))
        with ordinality as e(created, entry_type, detail, device_operation_id, position)
        left join device_operation o on o.device_operation_id = e.device_operation_id and o.device_id = $2 order by e.position`,
    values: [
      device.tenantId,
      device.deviceId,
      JSON.stringify(
        entries.map(({ created, entryType, detail, deviceOperationId }) => ({
          created,
          entry_type: entryType,
          detail,
          device_operation_id: deviceOperationId,
        })),
      ),
      ctx.now().toISOString(),
    ],
  });
  return { stored: entries.length };
}
