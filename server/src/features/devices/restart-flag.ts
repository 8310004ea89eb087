import { sql } from 'kysely';
import type { Ctx } from '../../context/ctx.ts';
import { notify } from '../../db/notify.ts';
import { writeRecorded } from '../../resources/record.ts';
import { servedDevices } from './devices.served.ts';

/** An agent that has started fulfils a requested restart. */
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
