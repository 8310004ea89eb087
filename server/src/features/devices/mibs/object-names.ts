/** Object identifiers of the names in the MIBs of a tenant. */
import type { Mib, MibFault, MibObject } from './read-mib.ts';

const mib2 = '1.3.6.1.2.1';
/** Where the objects of every MIB hang: what the modules of the standard declare that are seldom uploaded. */
const roots: Readonly<Record<string, string>> = {
  ccitt: '0',
  iso: '1',
  org: '1.3',
  dod: '1.3.6',
  internet: '1.3.6.1',
  directory: '1.3.6.1.1',
  mgmt: '1.3.6.1.2',
  'mib-2': mib2,
  system: `${mib2}.1`,
  interfaces: `${mib2}.2`,
  ifTable: `${mib2}.2.2`,
  ifEntry: `${mib2}.2.2.1`,
  ip: `${mib2}.4`,
  transmission: `${mib2}.10`,
  snmp: `${mib2}.11`,
  host: `${mib2}.25`,
  ifMIB: `${mib2}.31`,
  ifMIBObjects: `${mib2}.31.1`,
  experimental: '1.3.6.1.3',
  private: '1.3.6.1.4',
  enterprises: '1.3.6.1.4.1',
  security: '1.3.6.1.5',
  snmpV2: '1.3.6.1.6',
  snmpDomains: '1.3.6.1.6.1',
  snmpProxys: '1.3.6.1.6.2',
  snmpModules: '1.3.6.1.6.3',
  zeroDotZero: '0.0',
};

/** The identifiers of objects, by `MODULE::name` and by `name`; of several objects of one name, `name` is that of the first module. */
export type ObjectNames = ReadonlyMap<string, string>;

/** The maximum length of an identifier (RFC 2578, section 3.5), and so of a chain of objects that hang below each other. */
const maxNumbers = 128;

/** Resolves the names of all MIBs, which may hang below objects of each other, declared before or after. */
export function objectNames(mibs: readonly Mib[]): ObjectNames {
  const declared = new Map<string, { mib: Mib; object: MibObject }>();
  const byName = new Map<string, string>();
  for (const mib of mibs)
    for (const object of mib.objects) {
      const key = `${mib.name}::${object.name}`;
      if (!declared.has(key)) declared.set(key, { mib, object });
      if (!byName.has(object.name)) byName.set(object.name, key);
    }
  /** The identifiers, or undefined for what has none: below an object that nobody declares, below itself, or too deep. */
  const places = new Map<string, string | undefined>();
  /** A parent: of its own MIB or of that from which it is imported, before others of the same name. */
  function parentOf(mib: Mib, parent: string): { oid: string } | { key: string } {
    if (/^\d+$/.test(parent)) return { oid: parent };
    const key = [mib.name, mib.imports.get(parent) ?? ''].map((name) => `${name}::${parent}`).find((name) => declared.has(name));
    const root = key === undefined ? roots[parent] : undefined;
    return root === undefined ? { key: key ?? byName.get(parent) ?? '' } : { oid: root };
  }
  /** Walks up from an object to one with a place, and back. */
  function place(from: string): void {
    const below: { key: string; numbers: readonly string[] }[] = [];
    let next: { oid: string } | { key: string } = { key: from };
    while ('key' in next) {
      const { key } = next;
      const entry = places.has(key) ? undefined : declared.get(key);
      if (!entry) break;
      // What comes back here hangs below itself.
      places.set(key, undefined);
      below.push({ key, numbers: entry.object.numbers });
      next = parentOf(entry.mib, entry.object.parent);
    }
    let above = 'oid' in next ? next.oid : places.get(next.key);
    for (const { key, numbers } of below.toReversed()) {
      const oid: string | undefined = above === undefined ? undefined : [above, ...numbers].join('.');
      above = oid !== undefined && oid.split('.').length <= maxNumbers ? oid : undefined;
      places.set(key, above);
    }
  }
  for (const key of declared.keys()) place(key);
  const all = [...places, ...[...byName].map(([name, key]) => [name, places.get(key)] as const)];
  return new Map(all.flatMap(([name, oid]) => (oid === undefined ? [] : [[name, oid]])));
}

/** The objects of a MIB without a place: below one that neither it nor one of the other MIBs declares, below themselves, or too deep. */
export function danglingIn(mib: Mib, others: readonly Mib[]): MibFault[] {
  const names = objectNames([...others.filter(({ name }) => name !== mib.name), mib]);
  const declared = new Set(mib.objects.map(({ name }) => name));
  const unplaced = mib.objects.filter(({ name }) => !names.has(`${mib.name}::${name}`));
  const dangling = unplaced.filter(({ parent }) => !declared.has(parent));
  if (dangling.length === 0)
    return unplaced.map(({ name, parent, line }) => ({
      line,
      message: `${name} hangs below ${parent}, which hangs below ${name} itself, or has more than ${maxNumbers} numbers.`,
    }));
  return dangling.map(({ name, parent, line }) => {
    const from = mib.imports.get(parent);
    return { line, message: `${name} hangs below ${parent}, which ${from ? `is of ${from}: upload that first` : 'no MIB declares'}.` };
  });
}

const usable = /(?:([A-Z][\w-]*)::)?(?<![\w.-])([a-z][\w-]*)/g;

/** Lines of a MIB that declare the objects which these texts name, as far as the names are known. */
export function declarationsFor(texts: readonly string[], names: ObjectNames): string[] {
  const lines = new Map<string, string>();
  for (const text of texts)
    for (const [, module, name = ''] of text.matchAll(usable)) {
      const oid = (module === undefined ? undefined : names.get(`${module}::${name}`)) ?? names.get(name);
      if (oid !== undefined && !lines.has(name)) lines.set(name, `${name} OBJECT IDENTIFIER ::= { ${oid.replaceAll('.', ' ')} }`);
    }
  return [...lines.values()];
}
