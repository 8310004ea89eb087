/** The packets that an entity reported, newest first, page by page. */
import { useInfiniteQuery } from '@tanstack/react-query';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { packets } from '@cloudfit/contract/resources/packets.ts';
import { callJson } from '../../api/client.ts';
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
    queryFn: ({ pageParam, signal }) => {
      const params = new URLSearchParams({ top: String(top), ...(to ? { to } : {}), ...(pageParam ? { after: pageParam } : {}) });
      return callJson<HistoryPage>(`/v1/packets/${entityId}/history?${params}`, { signal });
    },
    initialPageParam: '',
    getNextPageParam: (page: HistoryPage) => page.next,
    enabled: maySee,
    meta: { live: to === undefined },
  });
}
