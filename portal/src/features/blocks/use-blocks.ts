/** Blocks, their packets, history and log. All but the log are polled, unless the person has paused that. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { oneOf } from '@cloudfit/contract/query/build.ts';
import { blocks } from '@cloudfit/contract/resources/blocks.ts';
import { blockLogs } from '@cloudfit/contract/resources/block-logs.ts';
import { packets, type PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { browserStore } from '../../api/browser-store.ts';
import { callJson } from '../../api/client.ts';
import { useLive } from '../../api/live.ts';
import { useMay } from '../../api/lookups.ts';
import type { PacketValue } from '../../entities/packets/packet-value.ts';
import { useList, type RowsQuery } from '../../rows/use-rows.ts';

export type Block = ExpandedRow<typeof blocks, 'tenant' | 'subscription'>;

export interface HistoryItem {
  receivedTimestamp: string;
  value: PacketValue;
  timestamp: string;
  message: PacketMessage;
}

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
  return useQuery({
    queryKey: [packets.name, 'history', blockId, page],
    queryFn: ({ signal }) =>
      callJson<{ historyItems: HistoryItem[]; totalCount: number }>(
        `/v1/blocks/${blockId}/history?pageNumber=${page}&rowCount=${historyRows}`,
        { signal },
      ),
    placeholderData: keepPreviousData,
    meta: { live: !isPaused },
    refetchInterval: isPaused || isLive ? false : packetPollMs,
  });
}

export interface BlockLogEntry {
  logEntryId: number;
  created: string;
  detail: string;
}

export function useLogs(blockId: string) {
  return useQuery({
    queryKey: [blockLogs.name, 'of', blockId],
    queryFn: async ({ signal }) => (await callJson<{ logs: BlockLogEntry[] }>(`/v1/blocks/${blockId}/logs`, { signal })).logs,
  });
}
