/** Object identifiers of the names in the MIBs of a tenant. */
import type { Mib, MibFault } from './read-mib.ts';

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

/** Resolves the names of all MIBs, which may hang below objects of each other. */
export function objectNames(mibs: readonly Mib[]): ObjectNames {
  const names = new Map<string, string>();
  const declared = new Map(mibs.map((mib) => [mib.name, new Set(mib.objects.map(({ name }) => name))]));
  let isChanged = true;
  /** The identifier of the parent: of its own MIB or of that from which it is imported, before others of the same name. */
  function parentOf(mib: Mib, parent: string): string | undefined {
    if (/^\d+$/.test(parent)) return parent;
    const module = [mib.name, mib.imports.get(parent) ?? ''].find((name) => declared.get(name)?.has(parent));
    return module === undefined ? (roots[parent] ?? names.get(parent)) : names.get(`${module}::${parent}`);
  }
  // A name may be declared after those that hang below it, or in a later MIB.
  while (isChanged) {
    isChanged = false;
    for (const mib of mibs)
      for (const { name, parent, numbers } of mib.objects) {
        const above = names.has(`${mib.name}::${name}`) ? undefined : parentOf(mib, parent);
        if (above === undefined) continue;
        const oid = [above, ...numbers].join('.');
        names.set(`${mib.name}::${name}`, oid);
        if (!names.has(name)) names.set(name, oid);
        isChanged = true;
      }
  }
  return names;
}

/** The objects of a MIB that hang below an object that neither it nor one of the other MIBs declares. */
export function danglingIn(mib: Mib, others: readonly Mib[]): MibFault[] {
  const names = objectNames([...others.filter(({ name }) => name !== mib.name), mib]);
  const declared = new Set(mib.objects.map(({ name }) => name));
  return mib.objects
    .filter(({ name, parent }) => !names.has(`${mib.name}::${name}`) && !declared.has(parent))
    .map(({ name, parent, line }) => {
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
