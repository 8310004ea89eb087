import { useQuery } from '@tanstack/react-query';
import { oneOf } from '@cloudfit/contract/query/build.ts';
import { packets } from '@cloudfit/contract/resources/packets.ts';
import { useLive } from '../../api/live.ts';
import { useMay } from '../../api/lookups.ts';
import type { Packet } from '../../entities/packets/packet-details.tsx';
import { fetchPage } from '../../rows/use-rows.ts';

/** LIM-010. */
export const packetPollMs = 30_000;
const gatherMs = 8;

type PendingReads = Map<string, ((packet: Packet | null) => void)[]>;
let waiting: PendingReads | undefined;

async function answerAll(reads: PendingReads) {
  const ids = [...reads.keys()];
  const packetById = new Map<string, Packet>();
  try {
    const page = await fetchPage(packets, { filter: oneOf(packets, 'entityId', ids), top: ids.length });
    for (const packet of page.rows) packetById.set(packet.entityId, packet);
  } catch (error) {
    console.debug('Packets could not be read.', error);
  }
  for (const [id, answers] of reads) for (const answer of answers) answer(packetById.get(id) ?? null);
}

/** The latest packet of an entity; packets that a screen reads at the same time are one call. */
function readPacket(id: string): Promise<Packet | null> {
  return new Promise((resolve) => {
    if (!waiting) {
      const mine: PendingReads = new Map();
      waiting = mine;
      setTimeout(() => {
        waiting = undefined;
        void answerAll(mine);
      }, gatherMs);
    }
    waiting.set(id, [...(waiting.get(id) ?? []), resolve]);
  });
}

/** The latest packet of a device, for people who may view packets. */
export function usePacket(id: string | undefined) {
  const maySee = useMay()(packets.area, 'view');
  const isLive = useLive();
  const { data, isLoading } = useQuery({
    queryKey: [packets.name, 'of', id],
    queryFn: () => readPacket(id ?? ''),
    enabled: maySee && id !== undefined,
    refetchInterval: isLive ? false : packetPollMs,
    staleTime: 2_000,
  });
  return { data, isLoading, maySee };
}
