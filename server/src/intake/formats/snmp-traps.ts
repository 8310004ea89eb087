/** SNMP traps that a listener of an agent has heard, or that somebody sends as JSON; objects get their names from the MIBs of the tenant. */
import { z } from 'zod';
import type { Format } from '../format.ts';
import { refusedReading, type Payload, type RefusedReading, type SourceReading } from '../readings.ts';
import type { OidNames } from '../../features/devices/mibs/oid-names.ts';
import { cut, listenerReading, readItems, withoutEmpty, type ListenerItem } from './listener-items.ts';

const maxVarbinds = 200;
const oid = z.string().regex(/^\.?\d+(?:\.\d+){1,127}$/);
const trapSchema = z.object({
  version: z.enum(['1', '2c', '3']).optional(),
  trap: oid,
  enterprise: oid.optional(),
  agent: z.string().max(255).optional(),
  user: z.string().max(255).optional(),
  uptime: z.number().optional(),
  varbinds: z
    .array(z.object({ oid, value: z.union([z.string(), z.number(), z.boolean()]) }))
    .max(maxVarbinds)
    .default([]),
});

/** Objects that say what the trap itself says. */
const ofTrap = new Set([
  '1.3.6.1.6.3.1.1.4.1.0',
  '1.3.6.1.6.3.1.1.4.3.0',
  '1.3.6.1.2.1.1.3.0',
  '1.3.6.1.6.3.18.1.3.0',
  '1.3.6.1.6.3.18.1.4.0',
]);
const plain = (text: string): string => text.replace(/^\./, '');

/** The objects by their names, with their indexes only where several would have one name. */
function namedObjects(
  varbinds: z.infer<typeof trapSchema>['varbinds'],
  names: OidNames,
): [name: string, value: string | number | boolean][] {
  const objects = varbinds
    .filter(({ oid }) => !ofTrap.has(plain(oid)))
    .map(({ oid, value }) => ({ ...(names.find(plain(oid)) ?? { name: plain(oid), index: '' }), value }));
  const counts = new Map<string, number>();
  for (const { name } of objects) counts.set(name, (counts.get(name) ?? 0) + 1);
  return objects.map(({ name, index, value }) => [counts.get(name) === 1 || index === '' ? name : `${name}.${index}`, value]);
}

function readTrap(item: ListenerItem, payload: Payload, names: OidNames): SourceReading | RefusedReading {
  const parsed = trapSchema.safeParse(item);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refusedReading(
      'InvalidItem',
      `A trap has its identifier as trap and objects as varbinds: ${issue?.path.join('.')} ${issue?.message}`,
      item,
    );
  }
  const { version, trap, enterprise, agent, user, uptime, varbinds } = parsed.data;
  const reading = listenerReading(item, payload);
  const objects = namedObjects(varbinds, names);
  const nameOf = (id: string): string => names.nameOf(plain(id));
  const trapLabels = {
    trap: nameOf(trap),
    trapOid: plain(trap),
    ...(enterprise === undefined ? {} : { enterprise: nameOf(enterprise) }),
    ...(agent === undefined ? {} : { agent }),
    ...(user === undefined ? {} : { user }),
  };
  const texts = objects.filter((entry): entry is [string, string | boolean] => typeof entry[1] !== 'number');
  const properties = {
    TrapOid: trapLabels.trapOid,
    ...(trapLabels.enterprise === undefined ? {} : { Enterprise: trapLabels.enterprise }),
    ...(agent === undefined ? {} : { Agent: agent }),
    ...(user === undefined ? {} : { User: user }),
    ...(version === undefined ? {} : { Version: version }),
  };
  return {
    ...reading,
    labels: { ...Object.fromEntries(objects.map(([name, value]) => [name, String(value)])), ...reading.labels, ...trapLabels },
    message: withoutEmpty({
      Value: trapLabels.trap,
      Metrics: {
        ...Object.fromEntries(objects.filter((entry): entry is [string, number] => typeof entry[1] === 'number')),
        // It is sent in hundredths of a second.
        ...(uptime === undefined ? {} : { UptimeSeconds: uptime / 100 }),
      },
      Properties: {
        ...Object.fromEntries(texts.map(([name, value]) => [name, typeof value === 'string' ? cut(value) : value])),
        ...properties,
        ...reading.message.Properties,
      },
    }),
  };
}

export const snmpTraps: Format = {
  read: async (payload, { turn, names }) => {
    const oidNames = await names();
    return readItems(payload, (item) => readTrap(item, payload, oidNames), turn);
  },
};
