import { devices } from '@cloudfit/contract/resources/devices.ts';
import { packets } from '@cloudfit/contract/resources/packets.ts';
import { notify } from '../../db/notify.ts';
import { serve } from '../../resources/served.ts';

export const servedDevices = serve(devices, 'device', {
  // Ingest keeps devices in memory and the agent waits for its configuration.
  after: (ctx, { after }) => notify(ctx.db, 'devices', [after.deviceId]),
});

export const servedPackets = serve(packets, 'latest_packet');
