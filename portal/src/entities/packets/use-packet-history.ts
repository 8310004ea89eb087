/** The packets that an entity reported, newest first, page by page. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { packetHistory } from '@cloudfit/contract/calls.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { packets } from '@cloudfit/contract/resources/packets.ts';
import { call } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';

export interface HistoryPacket {
  packetId: string;
  entityId: string;
  tenantId: string;
  timestamp: string;
  receivedTimestamp: string;
  message: PacketMessage;
}

interface HistoryPage {
  value: readonly HistoryPacket[];
  next?: string;
}

const top = 50;

/** Reads the packets of an entity before the time `to`; without `to`, the newest packets, also those that arrive. */
export function usePacketHistory(entityId: string, to: string | undefined) {
  const maySee = useMay()(packets.area, 'view');
  return useInfiniteQuery({
    queryKey: [packets.name, 'stored', entityId, to ?? ''],
    queryFn: async ({ pageParam, signal }) => {
      const page: unknown = await call(packetHistory, { id: entityId, top, to, after: pageParam || undefined }, { signal });
      // The type of any JSON in a packet has no end, so the declared type of the answer is too deep for the compiler.
      return page as HistoryPage;
    },
    initialPageParam: '',
    getNextPageParam: (page: HistoryPage) => page.next,
    enabled: maySee,
    meta: { live: to === undefined },
  });
}
