import { useQuery } from '@tanstack/react-query';
import { oneOf } from '@cloudfit/contract/query/build.ts';
import { packets } from '@cloudfit/contract/resources/packets.ts';
import { useLive } from '../../api/live.ts';
import { mayNow, useMay } from '../../api/lookups.ts';
import { queryClient } from '../../api/query-client.ts';
import { gathered } from '../../entities/gather.ts';
import type { Packet } from '../../entities/packets/packet-details.tsx';
import { fetchPage } from '../../rows/use-rows.ts';

/** Poll interval of packets in milliseconds (LIM-010). */
export const packetPollMs = 30_000;
/** Reads the latest packet of an entity. Reads that a screen starts at the same time become one call. */
const readPacket = gathered<Packet | null>(
  // Maximum number of ids in one call, so that they fit into an address.
  150,
  async (ids) => {
    try {
      const page = await fetchPage(packets, { filter: oneOf(packets, 'entityId', ids), top: ids.length });
      return new Map(page.rows.map((packet) => [packet.entityId, packet]));
    } catch (error) {
      console.debug('Packets could not be read.', error);
      return new Map();
    }
  },
  null,
);

const packetQuery = (id: string | undefined) => ({
  queryKey: [packets.name, 'of', id],
  queryFn: () => readPacket(id ?? ''),
  staleTime: 2_000,
});

/** The latest packets by entity, for an export; undefined for people who may not view packets. */
export async function latestPackets(ids: readonly string[]): Promise<ReadonlyMap<string, Packet | null> | undefined> {
  if (!(await mayNow(packets.area, 'view'))) return undefined;
  return new Map(await Promise.all(ids.map(async (id) => [id, await queryClient.fetchQuery(packetQuery(id))] as const)));
}

/** The latest packet of a device or operation, for people who may view packets. */
export function usePacket(id: string | undefined) {
  const maySee = useMay()(packets.area, 'view');
  const isLive = useLive();
  const { data, isLoading } = useQuery({
    ...packetQuery(id),
    enabled: maySee && id !== undefined,
    refetchInterval: isLive ? false : packetPollMs,
  });
  return { data, isLoading, maySee };
}
