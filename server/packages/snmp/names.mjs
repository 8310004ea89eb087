/** Names of objects: those of the system and of interfaces, and those of a MIB that somebody gives. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

const mib2 = '1.3.6.1.2.1';
const ifEntry = `${mib2}.2.2.1`;
const ifXEntry = `${mib2}.31.1.1.1`;
const numbered = (base, names) => names.map((name, at) => [name, `${base}.${at + 1}`]);
const standard = [
  ...numbered(`${mib2}.1`, ['sysDescr', 'sysObjectID', 'sysUpTime', 'sysContact', 'sysName', 'sysLocation', 'sysServices']),
  ...numbered(ifEntry, 'ifIndex ifDescr ifType ifMtu ifSpeed ifPhysAddress ifAdminStatus ifOperStatus ifLastChange ifInOctets'.split(' ')),
  ...[
    ['ifInDiscards', 13],
    ['ifInErrors', 14],
    ['ifOutOctets', 16],
    ['ifOutDiscards', 19],
    ['ifOutErrors', 20],
  ].map(([name, at]) => [name, `${ifEntry}.${at}`]),
  ...[
    ['ifName', 1],
    ['ifHCInOctets', 6],
    ['ifHCOutOctets', 10],
    ['ifHighSpeed', 15],
    ['ifAlias', 18],
  ].map(([name, at]) => [name, `${ifXEntry}.${at}`]),
];
/** Where the objects of every MIB hang. */
const roots = { iso: '1', org: '1.3', dod: '1.3.6', internet: '1.3.6.1', mgmt: '1.3.6.1.2', 'mib-2': mib2, transmission: `${mib2}.10` };
const privateRoots = {
  experimental: '1.3.6.1.3',
  private: '1.3.6.1.4',
  enterprises: '1.3.6.1.4.1',
  snmpV2: '1.3.6.1.6',
  snmpModules: '1.3.6.1.6.3',
};

const bytesMax = 4 * 1024 ** 2;
const filesMax = 200;

/** Returns the text of a file, or of the files of a folder. */
async function textAt(path) {
  const entry = await stat(path).catch((error) => {
    throw new Error(`MIB: ${path} cannot be read (${error.code}).`);
  });
  const paths = entry.isDirectory()
    ? (await readdir(path))
        .toSorted()
        .slice(0, filesMax)
        .map((name) => join(path, name))
    : [path];
  const texts = [];
  let bytes = 0;
  for (const one of paths) {
    const { size, isFile } = await stat(one).then((file) => ({ size: file.size, isFile: file.isFile() }));
    if (!isFile) continue;
    bytes += size;
    if (bytes > bytesMax) throw new Error(`MIB: ${path} has more than 4 MiB.`);
    texts.push(await readFile(one, 'latin1'));
  }
  return texts.join('\n');
}

/** Reads `name ... ::= { parent 1 }` and `name OBJECT IDENTIFIER ::= { parent part(1) 2 }` of a MIB. */
export function objectsOf(mib) {
  const plain = mib.replaceAll(/"[^"]*"|--[^\n]*?(?:--|$)/gm, ' ');
  const objects = new Map([...Object.entries(roots), ...Object.entries(privateRoots), ...standard]);
  // A column of a SEQUENCE is an OBJECT IDENTIFIER too, without a value.
  const kinds =
    'OBJECT-TYPE|OBJECT\\s+IDENTIFIER(?=\\s*::=)|MODULE-IDENTITY|OBJECT-IDENTITY|NOTIFICATION-TYPE|OBJECT-GROUP|NOTIFICATION-GROUP|MODULE-COMPLIANCE';
  const declaration = new RegExp(`\\b([a-z][\\w-]*)\\s+(?:${kinds})\\b(?:(?!::=)[^])*?::=\\s*\\{([^}]*)\\}`, 'g');
  const declared = [...plain.matchAll(declaration)].map(([, name, place]) => ({ name, place: place.trim().split(/\s+/) }));
  // A name may be declared after those that hang below it.
  for (let before = -1; objects.size !== before;) {
    before = objects.size;
    for (const { name, place } of declared) {
      const [first = '', ...rest] = place.map((part) => /\((\d+)\)$/.exec(part)?.[1] ?? part);
      const parent = /^\d+$/.test(first) ? first : objects.get(first);
      if (parent !== undefined && !objects.has(name) && rest.every((part) => /^\d+$/.test(part)))
        objects.set(name, [parent, ...rest].join('.'));
    }
  }
  return objects;
}

const identifier = /^\.?(\d+(?:\.\d+)+)$/;

/** Returns a function that turns `1.3.6.1.2.1.1.3.0`, `sysUpTime.0` and `SNMPv2-MIB::sysUpTime.0` into identifiers. */
export async function namesOf(mib) {
  const objects = objectsOf(mib === '' || mib.includes('::=') ? mib : await textAt(mib));
  return (parameter, text) => {
    const [, oid] = identifier.exec(text) ?? [];
    if (oid !== undefined) return oid;
    const [, name, index = ''] = /^(?:[\w-]+::)?([a-z][\w-]*)((?:\.\d+)*)$/i.exec(text) ?? [];
    const object = name === undefined ? undefined : objects.get(name);
    if (object === undefined)
      throw new Error(
        `${parameter}: ${text} is neither an object identifier, such as 1.3.6.1.2.1.1.3.0, nor the name of an object in MIB.`,
      );
    return `${object}${index}`;
  };
}
