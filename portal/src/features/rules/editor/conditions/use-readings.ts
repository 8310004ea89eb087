/** Names of metrics and fields in the latest packets of the tenant's devices and blocks, as choices. */
import { useQuery } from '@tanstack/react-query';
import { eq } from '@cloudfit/contract/query/build.ts';
import { packets, type PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { useMay } from '../../../../api/lookups.ts';
import { fetchPage } from '../../../../rows/use-rows.ts';

/** Per part of a packet: each name with its last reported value. */
export type Readings = Readonly<Record<'Metrics' | 'Properties' | 'States' | 'Diagnostics', ReadonlyMap<string, string>>>;

const maxPackets = 100;

const readingsOf = (read: (part: keyof Readings) => ReadonlyMap<string, string>): Readings => ({
  Metrics: read('Metrics'),
  Properties: read('Properties'),
  States: read('States'),
  Diagnostics: read('Diagnostics'),
});
const nothing = readingsOf(() => new Map());

function readingsIn(messages: readonly PacketMessage[]): Readings {
  const entriesOf = (part: keyof Readings) =>
    // The newest packet comes first, and its value wins.
    messages.toReversed().flatMap((message) => {
      const value: unknown = message[part];
      return value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : [];
    });
  const textOf = (value: unknown) => (value !== null && typeof value === 'object' ? '' : String(value));
  const mapOf = (part: keyof Readings) =>
    new Map(
      entriesOf(part)
        .map(([name, value]) => [name, textOf(value)] as const)
        .toSorted(([a], [b]) => a.localeCompare(b)),
    );
  return readingsOf(mapOf);
}

export function useReadings(tenantId: string | null): Readings {
  const may = useMay();
  const { data } = useQuery({
    queryKey: ['ruleReadings', tenantId],
    queryFn: async ({ signal }) => {
      const filter = tenantId ? eq(packets, 'tenantId', tenantId) : undefined;
      const { rows } = await fetchPage(packets, { filter, orderBy: 'timestamp desc', top: maxPackets }, signal);
      return readingsIn(rows.map((row) => row.message));
    },
    enabled: may('Packets', 'view') && tenantId !== null,
    staleTime: 60_000,
  });
  return data ?? nothing;
}
