/** Stores on devices how people know their machines, as inventories report it: a search finds a device by a serial number or an address. */
import { oneLine, startOf } from '@cloudfit/contract/one-line.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { changed } from '../db/changed.ts';
import type { Db } from '../db/db.ts';
import { uuidV7 } from '../platform/uuid-v7.ts';
import type { AcceptedPacket } from './batch.ts';

export interface NotedHost {
  device_id: string;
  facts: string;
}

const longest = 4_000;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const hexOfMac = /^[0-9a-f]{12}$/;

/** The notations of a MAC address, because each system writes it in another one; of another text, the text. */
function macNotations(mac: unknown): unknown[] {
  const hex = typeof mac === 'string' ? mac.toLowerCase().replaceAll(/[:.-]/g, '') : '';
  if (!hexOfMac.test(hex)) return [mac];
  const inGroups = (size: number, separator: string): string => (hex.match(new RegExp(`.{${size}}`, 'g')) ?? []).join(separator);
  return [inGroups(2, ':'), `${inGroups(2, '-')} ${inGroups(4, '.')} ${hex}`];
}

/** The host name, serial number, addresses and MAC addresses of an inventory, each on a line, then the other notations of the latter; undefined for another packet. */
function factsOf({ packet: { message } }: AcceptedPacket): string | undefined {
  const addresses: unknown = isRecord(message.Diagnostics) ? message.Diagnostics['addresses'] : undefined;
  if (!Array.isArray(addresses)) return undefined;
  const cards = (addresses as readonly unknown[]).filter(isRecord).map(({ address, mac }) => ({ address, macs: macNotations(mac) }));
  const notations = cards.flatMap(({ macs }) => macs.slice(1));
  const texts = [
    message.States?.['HostName'],
    message.States?.['SerialNumber'],
    ...cards.flatMap(({ address, macs }) => [address, macs[0]]),
    ...notations,
  ].flatMap((value) => (typeof value === 'string' ? oneLine(value) : []));
  return startOf([...new Set(texts)].filter((text) => text !== '').join('\n'), longest);
}

/** Returns what the inventories of a batch say. Few packets are inventories. */
export function reportedHosts(groups: ReadonlyMap<string, readonly AcceptedPacket[]>): NotedHost[] {
  const hosts = new Map<string, string>();
  for (const packets of groups.values())
    for (const one of packets) {
      const facts = factsOf(one);
      const deviceId = one.entity.device?.id;
      if (facts !== undefined && deviceId) hosts.set(deviceId, facts);
    }
  return [...hosts].map(([device_id, facts]) => ({ device_id, facts }));
}

/** Stores what the inventories of a batch say, on devices of which they say something new. */
export async function noteHosts(tx: Db, hosts: readonly NotedHost[]): Promise<void> {
  if (hosts.length === 0) return;
  await tx.defer({
    name: 'ingest-hosts',
    text: `with noted as (
  update device d set host_facts = h.facts from jsonb_to_recordset($1::jsonb) as h (device_id uuid, facts text)
  where d.device_id = h.device_id and d.host_facts is distinct from h.facts returning d.tenant_id, d.device_id
)
${changed(devices, 'update', 'noted', '$2')}`,
    values: [JSON.stringify(hosts.toSorted((a, b) => (a.device_id < b.device_id ? -1 : 1))), uuidV7()],
  });
}
