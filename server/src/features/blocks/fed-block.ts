/** Distinguishes blocks that outside systems report to from heartbeat blocks and from other entities. */
import type { Ctx } from '../../context/ctx.ts';

/**
 * Returns whether the block with this id accepts values, or shows what its device reports; undefined if none of the caller's
 * tenants has it.
 */
export async function feedOf(ctx: Ctx, blockId: string): Promise<'values' | 'device' | undefined> {
  const [row] = await ctx.db.query<{ feed: 'values' | 'device' }>({
    name: 'block-is-fed',
    text: "select case when device_id is null then 'values' else 'device' end as feed from block where block_id = $1 and ($2::uuid[] is null or tenant_id = any($2::uuid[]))",
    values: [blockId, ctx.tenants === 'all' ? null : [...ctx.tenants]],
  });
  return row?.feed;
}
