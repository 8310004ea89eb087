/** The facts that the package Inventory reports about a machine. */
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';

export interface Inventory {
  /** Name and value, in the order of importance to people. */
  facts: readonly (readonly [string, string])[];
  processors: number | undefined;
  memoryBytes: number | undefined;
  addresses: readonly string[];
  software: readonly { name: string; version: string }[];
}

const first = ['OperatingSystem', 'HostName', 'Manufacturer', 'Model', 'Processor', 'Kernel', 'Architecture'];
const maxAddresses = 4;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const records = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const pairs = (value: unknown): unknown[][] => (Array.isArray(value) ? value.filter((item) => Array.isArray(item)) : []);
const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

export function inventoryOf({ States = {}, Metrics = {}, Diagnostics }: PacketMessage): Inventory {
  const parts = isRecord(Diagnostics) ? Diagnostics : {};
  const place = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length);
  return {
    facts: Object.entries(States)
      .filter(([name, value]) => name !== 'RunStatus' && text(value) !== '')
      .map(([name, value]) => [name, text(value)] as const)
      .toSorted(([a], [b]) => place(a) - place(b)),
    processors: Metrics['Processors'],
    memoryBytes: Metrics['MemoryBytes'],
    addresses: records(parts['addresses'])
      .map((record) => text(record['address']))
      .filter((address) => address !== '' && !address.startsWith('fe80:'))
      .slice(0, maxAddresses),
    software: pairs(parts['software']).map(([name, installed]) => ({ name: text(name), version: text(installed) })),
  };
}
