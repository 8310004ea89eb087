/** The difference between the clock of a device's machine and the server's clock. */
import { devices } from '@cloudfit/contract/resources/devices.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { changed } from '../../../db/changed.ts';

/** A smaller difference counts as none: the request takes time, and the agent sends its time in whole seconds. */
const noticeableSeconds = 5;
const maxSeconds = 2_000_000_000;

/**
 * Stores the difference between the agent's time and the server's, if it has changed noticeably. `stored` is the difference in
 * the device's row.
 */
export async function noteClockSkew(ctx: Ctx, deviceId: string, stored: number | null, agentTime: string): Promise<void> {
  const ahead = Math.round((Date.parse(agentTime) - ctx.now().getTime()) / 1_000);
  const skew = Math.abs(ahead) < noticeableSeconds ? null : Math.max(-maxSeconds, Math.min(maxSeconds, ahead));
  if (skew === stored || (skew !== null && stored !== null && Math.abs(skew - stored) < noticeableSeconds)) return;
  await ctx.db.query({
    text: `with noted as (
  update device set clock_skew_seconds = $2 where device_id = $1 and clock_skew_seconds is distinct from $2 returning tenant_id, device_id
)
${changed(devices, 'update', 'noted', '$3')}`,
    values: [deviceId, skew, ctx.correlationId],
  });
}
