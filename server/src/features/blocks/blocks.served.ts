import { blockType } from '@cloudfit/contract/enums.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { blockLogs } from '@cloudfit/contract/resources/block-logs.ts';
import { blocks } from '@cloudfit/contract/resources/blocks.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { actorName, type Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import { notify } from '../../db/notify.ts';
import { serve, type RowChange, type FieldError } from '../../resources/served.ts';

type BlockRow = Row<typeof blocks>;

/** The log entry of the block about a change, or undefined. */
function logText({ verb, after, changed }: RowChange<BlockRow>): string | undefined {
  if (verb === 'create') return 'Block created.';
  const texts = [
    ...(changed.includes('entityColor') ? [`Color set to ${after.entityColor.color}.`] : []),
    ...(changed.includes('name') ? [`Renamed to ${after.name}.`] : []),
    ...(changed.includes('description') ? ['Description changed.'] : []),
  ];
  return texts.length > 0 ? texts.join(' ') : undefined;
}

async function writeLog(ctx: Ctx, block: BlockRow, detail: string): Promise<void> {
  await ctx.db.defer({
    name: 'block-log',
    text: `with written as (
  insert into block_log (block_id, tenant_id, detail, created_by, correlation_id) values ($1, $2, $3, $4, $5) returning tenant_id, log_entry_id, correlation_id
)
${changed(blockLogs, 'create', 'written')}`,
    values: [block.blockId, block.tenantId, detail, actorName(ctx), ctx.correlationId],
  });
}

export const servedBlocks = serve(blocks, 'block', {
  check: (_ctx, { verb, after }): FieldError[] => {
    if (after.blockTypeId !== blockType.deviceHeartbeat) return [];
    if (verb === 'create') return [{ target: 'blockTypeId', message: 'A heartbeat block comes with its device; choose another type.' }];
    if (verb === 'delete') throw new ApiError('Conflict', 'A heartbeat block is deleted with its device.', { target: 'blockTypeId' });
    return [];
  },
  after: async (ctx, change) => {
    const { verb, after } = change;
    if (verb === 'delete') {
      // Another tenant's block may get this id later, so the latest packet of this one is deleted.
      await ctx.db.defer({ text: 'delete from latest_packet where entity_id = $1', values: [after.blockId] });
      // Hours are closed only for entities with a latest packet, so the last hours of this block are marked as due here.
      await ctx.db.defer({
        text: `insert into series_due (tenant_id, entity_id, hour) select $2, $1, date_trunc('hour', now()) - n * interval '1 hour' from generate_series(-1, 2) n`,
        values: [after.blockId, after.tenantId],
      });
    } else {
      const text = logText(change);
      if (text) await writeLog(ctx, after, text);
    }
    // Ingest caches entities of all kinds; a notification on the channel `devices` removes any of them.
    await notify(ctx.db, 'devices', [after.entityId]);
  },
});

export const servedBlockLogs = serve(blockLogs, 'block_log');
