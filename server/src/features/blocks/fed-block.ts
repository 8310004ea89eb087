/** Distinguishes blocks that outside systems report to from heartbeat blocks and from other entities. */
import type { Ctx } from '../../context/ctx.ts';

/** Whether one of the caller's tenants has a block with this id that accepts values. */
export async function isFedBlock(ctx: Ctx, blockId: string): Promise<boolean> {
  const rows = await ctx.db.query({
    name: 'block-is-fed',
    text: 'select 1 from block where block_id = $1 and device_id is null and ($2::uuid[] is null or tenant_id = any($2::uuid[]))',
    values: [blockId, ctx.tenants === 'all' ? null : [...ctx.tenants]],
  });
  return rows.length > 0;
}
