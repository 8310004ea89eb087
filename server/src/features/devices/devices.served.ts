import { devices } from '@cloudfit/contract/resources/devices.ts';
import { ruleValuesProblem } from '@cloudfit/contract/rule-values.ts';
import { packetInfos } from '@cloudfit/contract/resources/packet-infos.ts';
import { packets } from '@cloudfit/contract/resources/packets.ts';
import { notify } from '../../db/notify.ts';
import { serve } from '../../resources/served.ts';
import { deletionFaults, moveBelongings, moveFaults } from './belongings.ts';
import { dependencyFaults, dependentFaults } from './dependency.ts';
import { keepHeartbeatBlock } from './heartbeat-block.ts';

export const servedDevices = serve(devices, 'device', {
  check: async (ctx, { verb, after, changed }) => {
    if (verb === 'delete') return [...(await deletionFaults(ctx, after)), ...(await dependentFaults(ctx, after, 'deviceId'))];
    const problem = changed.includes('ruleValues') && after.ruleValues ? ruleValuesProblem(after.ruleValues) : undefined;
    if (problem) return [{ target: 'ruleValues', message: problem }];
    const moved = verb === 'update' && changed.includes('tenantId');
    return [
      ...(moved ? [...(await moveFaults(ctx, after)), ...(await dependentFaults(ctx, after, 'tenantId'))] : []),
      ...(moved || changed.includes('parentDeviceId') ? await dependencyFaults(ctx, after) : []),
    ];
  },
  after: async (ctx, change) => {
    const { before, after } = change;
    await keepHeartbeatBlock(ctx, change);
    if (before && before.tenantId !== after.tenantId) await moveBelongings(ctx, after);
    // Invalidates the device in ingest's cache, and wakes the device's agent, which waits for a new configuration.
    await notify(ctx.db, 'devices', [after.deviceId]);
  },
});

export const servedPackets = serve(packets, 'latest_packet');

export const servedPacketInfos = serve(packetInfos, 'packet_info');
