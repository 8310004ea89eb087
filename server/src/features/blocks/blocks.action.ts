/** History and log of one block. */
import { blockHistory, blockLogEntries } from '@cloudfit/contract/actions/blocks.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { blockLogs } from '@cloudfit/contract/resources/block-logs.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { list } from '../../resources/list.ts';
import { servedBlockLogs, servedBlocks } from './blocks.served.ts';

interface BlockHistoryItem {
  receivedTimestamp: string;
  value: string | number | boolean | null;
  timestamp: string;
  message: PacketMessage;
}

// Filtered by tenant too: what the entity reported while it belonged to another tenant stays invisible.
const items = `select to_char(received_timestamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "receivedTimestamp", message->'Value' as value,
  to_char(timestamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as timestamp, message
from packet p where entity_id = $1 and tenant_id = $2 order by p.timestamp desc, packet_id desc limit $3 offset $4`;

const history = implement(blockHistory, async (ctx, { id, pageNumber, rowCount }) => {
  const { entityId, tenantId } = await get(ctx, servedBlocks, id);
  const [historyItems, [total]] = await Promise.all([
    ctx.db.query<BlockHistoryItem>({ name: 'block-history', text: items, values: [entityId, tenantId, rowCount, pageNumber * rowCount] }),
    ctx.db.query<{ n: number }>({
      name: 'block-history-count',
      text: 'select count(*)::int as n from packet where entity_id = $1 and tenant_id = $2',
      values: [entityId, tenantId],
    }),
  ]);
  return { historyItems, totalCount: total?.n ?? 0 };
});

const logs = implement(blockLogEntries, async (ctx, { id }) => {
  const { blockId } = await get(ctx, servedBlocks, id);
  const page = await list(
    ctx,
    servedBlockLogs,
    queryText<typeof blockLogs>({ filter: eq(blockLogs, 'blockId', blockId), orderBy: ['created desc', 'logEntryId desc'], top: 1_000 }),
    { select: ['logEntryId', 'created', 'detail'] },
  );
  return { logs: page.value };
});

export const blockActions: readonly ImplementedAction[] = [history, logs];
