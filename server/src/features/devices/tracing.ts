import type { Row } from '@cloudfit/contract/resource.ts';
import type { devices } from '@cloudfit/contract/resources/devices.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { setFields } from '../../resources/update.ts';
import { servedDevices } from './devices.served.ts';
import { logDevice } from './log.served.ts';

/** Traces a device for this many minutes; 0 ends the tracing. */
export function setTracing(ctx: Ctx, id: string, traceMinutes: number): Promise<Row<typeof devices>> {
  return inTransaction(ctx, async (ctx) => {
    const until = traceMinutes === 0 ? null : new Date(ctx.now().getTime() + traceMinutes * 60_000).toISOString();
    const device = await setFields(ctx, servedDevices, id, { traceMinutes, traceExpiration: until });
    const detail = traceMinutes === 0 ? 'Tracing was switched off.' : `Tracing was switched on for ${traceMinutes} minutes.`;
    await logDevice(ctx, { tenantId: device.tenantId, deviceId: id, detail });
    return device;
  });
}
