import type { Ctx } from '../../context/ctx.ts';
import { notify } from '../../db/notify.ts';

/**
 * Wakes the agent of a device whose operations or installations change, and removes the entities `reporters` from ingest's
 * cache.
 */
export async function announceConfiguration(ctx: Ctx, deviceId: string, reporters: readonly string[] = []): Promise<void> {
  await ctx.db.defer({
    name: 'device-operations-version',
    text: 'update device set operations_version = operations_version + 1 where device_id = $1',
    values: [deviceId],
  });
  await notify(ctx.db, 'devices', [deviceId, ...reporters]);
}
