import { devices } from '@cloudfit/contract/resources/devices.ts';
import { packets } from '@cloudfit/contract/resources/packets.ts';
import { notify } from '../../db/notify.ts';
import { serve } from '../../resources/served.ts';
import { keepHeartbeatBlock } from './heartbeat-block.ts';

export const servedDevices = serve(devices, 'device', {
  after: async (ctx, change) => {
    const { before, after } = change;
    await keepHeartbeatBlock(ctx, change);
    // What a device last reported goes with it to another tenant, where it reports from now on.
    if (before && before.tenantId !== after.tenantId) {
      await ctx.db.defer({
        text: 'update latest_packet set tenant_id = $2 where entity_id = $1',
        values: [after.deviceId, after.tenantId],
      });
    }
    // Ingest keeps devices in memory and the agent waits for its configuration.
    await notify(ctx.db, 'devices', [after.deviceId]);
  },
});

export const servedPackets = serve(packets, 'latest_packet');
