import { sql } from '../../db/sql.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { devices } from '@cloudfit/contract/resources/devices.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { notify } from '../../db/notify.ts';
import { writeRecorded } from '../../resources/record.ts';
import { setFields } from '../../resources/update.ts';
import { servedDevices } from './devices.served.ts';
import { logDevice } from './log.served.ts';

/** Asks the agent of a device to restart; `check` is called first, with the locked device. */
export function requestRestart(ctx: Ctx, id: string, check?: (before: Row<typeof devices>) => void): Promise<Row<typeof devices>> {
  return inTransaction(ctx, async (ctx) => {
    const device = await setFields(ctx, servedDevices, id, (before) => {
      check?.(before);
      return { restartAgentFlag: true };
    });
    await logDevice(ctx, { tenantId: device.tenantId, deviceId: id, detail: 'A restart of the agent was requested.' });
    return device;
  });
}

/** Withdraws a restart that the agent has not begun. */
export function withdrawRestart(ctx: Ctx, id: string): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const { tenantId } = await setFields(ctx, servedDevices, id, { restartAgentFlag: false });
    await logDevice(ctx, { tenantId, deviceId: id, detail: 'The requested restart was withdrawn.' });
  });
}

/** Clears the flag of a requested restart when the agent has started. */
export async function clearRestartFlag(ctx: Ctx, deviceId: string): Promise<void> {
  const [flagged] = await ctx.db.query<{ tenant_id: string }>({
    text: 'select tenant_id from device where device_id = $1 and restart_agent_flag for update',
    values: [deviceId],
  });
  if (!flagged) return;
  const write = sql`update device set restart_agent_flag = false, modified = now(), version = version + 1 where device_id = ${deviceId} returning *`;
  await writeRecorded(ctx, servedDevices, 'update', write, { tenantId: flagged.tenant_id, restartAgentFlag: true });
  await notify(ctx.db, 'devices', [deviceId]);
}
