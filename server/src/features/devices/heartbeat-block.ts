/**
 * Each device has a block for its heartbeat. The block is created, moved and deleted with the device, even if the caller has no
 * permission for blocks.
 */
import { sql } from '../../db/sql.ts';
import { blockType } from '@cloudfit/contract/enums.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { blocks } from '@cloudfit/contract/resources/blocks.ts';
import type { Row, WriteVerb } from '@cloudfit/contract/resource.ts';
import { blockLogs } from '@cloudfit/contract/resources/block-logs.ts';
import type { Ctx } from '../../context/ctx.ts';
import { movedAlong } from '../../db/changed.ts';
import { get } from '../../resources/get.ts';
import { writeRecorded } from '../../resources/record.ts';
import { servedOf } from '../../resources/served.ts';

interface HeartbeatDevice {
  deviceId: string;
  tenantId: string;
  subscriptionId: string;
  name: string;
}

const everything = new Map([['*', new Set<string>(allPermissions)]]);

async function makeBlock(ctx: Ctx, device: HeartbeatDevice): Promise<void> {
  await writeRecorded(
    ctx,
    servedOf(blocks),
    'create',
    sql`insert into block (block_id, tenant_id, subscription_id, device_id, name, block_type_id)
      values (heartbeat_block_id(${device.deviceId}::uuid), ${device.tenantId}, ${device.subscriptionId}, ${device.deviceId}, ${device.name}, ${blockType.deviceHeartbeat}) returning *`,
    null,
  );
}

async function blockBefore(ctx: Ctx, device: HeartbeatDevice, lock: 'edit' | 'remove'): Promise<Row<typeof blocks> | undefined> {
  const [block] = await ctx.db.query<{ block_id: string }>({
    text: 'select block_id from block where device_id = $1',
    values: [device.deviceId],
  });
  // Skips the permission check; row-level security still limits the row to the caller's tenants.
  return block && get({ ...ctx, permissions: everything }, servedOf(blocks), block.block_id, { lock });
}

interface DeviceChange {
  verb: WriteVerb;
  before: HeartbeatDevice | null;
  after: HeartbeatDevice;
  changed: readonly string[];
}

/**
 * Creates, updates or deletes a device's heartbeat block in the transaction of the device's change. A block that people renamed
 * keeps its name.
 */
const moveLog = movedAlong(blockLogs, 'block_log', 'block_id');

export async function keepHeartbeatBlock(ctx: Ctx, { verb, before, after, changed }: DeviceChange): Promise<void> {
  if (verb === 'create') return makeBlock(ctx, after);
  if (verb === 'update' && !changed.some((name) => name === 'name' || name === 'tenantId' || name === 'subscriptionId')) return;
  const block = await blockBefore(ctx, before ?? after, verb === 'delete' ? 'remove' : 'edit');
  if (!block) return;
  const is = sql`where block_id = ${block.blockId} returning *`;
  if (verb === 'delete') {
    await writeRecorded(ctx, servedOf(blocks), 'delete', sql`delete from block ${is}`, block);
    return;
  }
  const name = block.name === before?.name ? after.name : block.name;
  const set = sql`tenant_id = ${after.tenantId}, subscription_id = ${after.subscriptionId}, name = ${name}, modified = now(), version = version + 1`;
  await writeRecorded(ctx, servedOf(blocks), 'update', sql`update block set ${set} ${is}`, block);
  if (after.tenantId !== block.tenantId) await ctx.db.defer({ text: moveLog, values: [block.blockId, after.tenantId, ctx.correlationId] });
}
