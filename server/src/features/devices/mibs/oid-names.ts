/** Names of object identifiers, for what devices send: those of the MIBs of a tenant, and those of every device. */
import type { ObjectNames } from './object-names.ts';

export interface OidNames {
  /** The object at or above an identifier, with the numbers below it; undefined if there is none that is more than a root. */
  find(oid: string): { name: string; index: string } | undefined;
  /** The name of an identifier with its index, or the identifier itself. */
  nameOf(oid: string): string;
}

const numbered = (base: string, names: string): [string, string][] => names.split(' ').map((name, at) => [`${base}.${at + 1}`, name]);
const mib2 = '1.3.6.1.2.1';
const standard: readonly [oid: string, name: string][] = [
  ...numbered('1.3.6.1.6.3.1.1.5', 'coldStart warmStart linkDown linkUp authenticationFailure egpNeighborLoss'),
  ...numbered(`${mib2}.1`, 'sysDescr sysObjectID sysUpTime sysContact sysName sysLocation sysServices'),
  ...numbered(
    `${mib2}.2.2.1`,
    'ifIndex ifDescr ifType ifMtu ifSpeed ifPhysAddress ifAdminStatus ifOperStatus ifLastChange ifInOctets ifInUcastPkts ifInNUcastPkts ifInDiscards ifInErrors ifInUnknownProtos ifOutOctets ifOutUcastPkts ifOutNUcastPkts ifOutDiscards ifOutErrors',
  ),
  [`${mib2}.31.1.1.1.1`, 'ifName'],
  [`${mib2}.31.1.1.1.18`, 'ifAlias'],
  ['1.3.6.1.6.3.18.1.3', 'snmpTrapAddress'],
  ['1.3.6.1.6.3.1.1.4.1', 'snmpTrapOID'],
  ['1.3.6.1.6.3.1.1.4.3', 'snmpTrapEnterprise'],
];

const cached = new WeakMap<ObjectNames, OidNames>();

/** The shortest identifier that is an object and no root, such as `1.3.6.1.4.1.9`. */
const fewestNumbers = 7;

export function oidNames(objects: ObjectNames): OidNames {
  const before = cached.get(objects);
  if (before) return before;
  const names = new Map(standard);
  for (const [name, oid] of objects) if (!name.includes('::')) names.set(oid, name);
  function find(oid: string): { name: string; index: string } | undefined {
    const numbers = oid.split('.');
    for (let length = numbers.length; length >= fewestNumbers; length -= 1) {
      const name = names.get(numbers.slice(0, length).join('.'));
      if (name !== undefined) return { name, index: numbers.slice(length).join('.') };
    }
    return undefined;
  }
  const created: OidNames = {
    find,
    nameOf: (oid) => {
      const object = find(oid);
      if (!object) return oid;
      // A trap of version 1 has a zero between its enterprise and its number.
      return object.index === '' ? object.name : `${object.name}.${object.index.replace(/^0\.(\d+)$/, '$1')}`;
    },
  };
  cached.set(objects, created);
  return created;
}
