/** Blocks, their packets, history and log. All but the log are polled, unless the person has paused that. */
import { keepPreviousData } from '@tanstack/react-query';
import { oneOf } from '@cloudfit/contract/query/build.ts';
import { blocks } from '@cloudfit/contract/resources/blocks.ts';
import { packets } from '@cloudfit/contract/resources/packets.ts';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { blockHistory } from '@cloudfit/contract/calls.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { browserStore } from '../../api/browser-store.ts';
import { useCall } from '../../api/call.ts';
import { useLive } from '../../api/live.ts';
import { useMay } from '../../api/lookups.ts';
import { useList, type RowsQuery } from '../../rows/use-rows.ts';

export type Block = ExpandedRow<typeof blocks, 'tenant' | 'subscription'>;

export type HistoryItem = CallOutput<typeof blockHistory>['historyItems'][number];

/** Poll interval of blocks in milliseconds (LIM-005). */
const blockPollMs = 10_000;
/** Poll interval of packets in milliseconds (LIM-006). */
const packetPollMs = 10_005;
/** Rows on a page of a block's history (BLK-009). */
export const historyRows = 100;

/** Whether the person has paused the polling of blocks and packets (LIM-007). */
export const paused = browserStore('cloudfit.blocks.paused', (stored) => stored === true);

export function useBlocks(query: RowsQuery<typeof blocks, 'tenant' | 'subscription'>, enabled: boolean) {
  return useList(blocks, query, { pollMs: blockPollMs, refresh: !paused.use(), enabled });
}

/** The latest packets of entities. */
export function usePackets(entityIds: readonly string[]) {
  const may = useMay();
  return useList(
    packets,
    { filter: oneOf(packets, 'entityId', entityIds), top: entityIds.length },
    { pollMs: packetPollMs, refresh: !paused.use(), enabled: entityIds.length > 0 && may('Packets', 'view') },
  );
}

/** One page of a block's history; cached under packets, because each packet adds to it. */
export function useHistory(blockId: string, page: number) {
  const isLive = useLive();
  const isPaused = paused.use();
  return useCall(
    blockHistory,
    { id: blockId, pageNumber: page, rowCount: historyRows },
    {
      refreshedBy: packets.name,
      quiet: false,
      placeholderData: keepPreviousData,
      meta: { live: !isPaused },
      refetchInterval: isPaused || isLive ? false : packetPollMs,
    },
  );
}
