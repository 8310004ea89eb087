/** The names of readings and of device values in a tenant, each with an example value, as choices. */
import { compareNames } from '@cloudfit/contract/natural-order.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { and, compare, eq } from '@cloudfit/contract/query/build.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { ruleValuesIn } from '@cloudfit/contract/rule-values.ts';
import { packets, type PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { useMay } from '../../api/lookups.ts';
import { fetchPage } from '../../rows/use-rows.ts';

type PacketPart = 'Metrics' | 'Properties' | 'States' | 'Diagnostics';

/** Per part of a packet: each name with its last value. `DeviceValues`: each name of a device value with one device's value. */
export type Readings = Readonly<Record<PacketPart | 'DeviceValues', ReadonlyMap<string, string>>>;

const maxPackets = 100;

const readingsOf = (read: (part: PacketPart) => ReadonlyMap<string, string>): Readings => ({
  Metrics: read('Metrics'),
  Properties: read('Properties'),
  States: read('States'),
  Diagnostics: read('Diagnostics'),
  DeviceValues: new Map(),
});
const nothing = readingsOf(() => new Map());

function readingsIn(messages: readonly PacketMessage[]): Readings {
  const entriesOf = (part: PacketPart) =>
    // Reversed, because the newest packet comes first and its value must win.
    messages.toReversed().flatMap((message) => {
      const value: unknown = message[part];
      return value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : [];
    });
  const textOf = (value: unknown) => (value !== null && typeof value === 'object' ? '' : String(value));
  const mapOf = (part: PacketPart) =>
    new Map(
      entriesOf(part)
        .map(([name, value]) => [name, textOf(value)] as const)
        .toSorted(([a], [b]) => compareNames(a, b)),
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
  const values = useQuery({
    queryKey: ['ruleDeviceValues', tenantId],
    queryFn: async ({ signal }) => {
      const filter = and(compare(devices, 'ruleValues', 'ne', null), tenantId ? eq(devices, 'tenantId', tenantId) : undefined);
      const { rows } = await fetchPage(devices, { filter, select: ['deviceId', 'ruleValues'], top: maxPackets }, signal);
      return new Map(rows.flatMap((row) => Object.entries(ruleValuesIn(row.ruleValues ?? ''))));
    },
    enabled: may('Devices', 'view') && tenantId !== null,
    staleTime: 60_000,
  });
  return useMemo(() => ({ ...(data ?? nothing), ...(values.data ? { DeviceValues: values.data } : {}) }), [data, values.data]);
}
