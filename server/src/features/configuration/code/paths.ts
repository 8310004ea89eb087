/** Names in place of ids: the path of a row is what identifies it, and a reference in a text is `$(rules: Northwind / Hot)`. */
import { createHash } from 'node:crypto';
import type { PortableResource } from '../portable.ts';

const separator = ' / ';
/** In a path, what has no value: no tenant, no subscription. */
export const nothing = '*';

/** A name of stars alone gets another one in a path, where one star says that there is no name. */
export const starred = (name: string): string => (/^\*+$/.test(name) ? `*${name}` : name);
export const unstarred = (name: string): string => (/^\*{2,}$/.test(name) ? name.slice(1) : name);

/** A slash is doubled within a name, so that a path is split only between names. */
export const pathOfNames = (names: readonly string[]): string => names.map((name) => name.replaceAll('/', '//')).join(separator);
export const namesOfPath = (path: string): string[] => path.split(separator).map((name) => name.replaceAll('//', '/'));

/** The path of a row whose references are paths. The tenant of a reference is not repeated after that of the row. */
export function pathOfRow({ portable, fields }: PortableResource, row: Record<string, unknown>): string {
  let tenant: string | undefined;
  const parts = portable.by.flatMap((name) => {
    const value = row[name];
    if (value === null || value === undefined) return [nothing];
    const names = fields[name]?.ref && typeof value === 'string' ? namesOfPath(value) : [starred(String(value))];
    const isRepeated = names.length > 1 && names[0] === tenant;
    tenant ??= names[0];
    return isRepeated ? names.slice(1) : names;
  });
  return pathOfNames(parts);
}

/** An id that is the same for the same path in every installation. */
export function idOfPath(resource: string, path: string): string {
  const hex = createHash('sha256').update(`${resource}: ${path}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const guid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const reference = /\$\$\(|\$\((\w+): ((?:[^)]|\)\))*)\)/g;

/** Writes references in place of the ids of a text; `find` knows the resource and path of an id. */
export function withReferences(text: string, find: (id: string) => { resource: string; path: string } | undefined): string {
  return text.replaceAll('$(', '$$$$(').replaceAll(guid, (id) => {
    const target = find(id.toLowerCase());
    return target ? `$(${target.resource}: ${target.path.replaceAll(')', '))')})` : id;
  });
}

/** Writes ids in place of the references of a text. */
export function withIds(text: string, idOf: (resource: string, path: string) => string): string {
  return text.replaceAll(reference, (whole, resource: string | undefined, path: string | undefined) =>
    resource === undefined || path === undefined ? (whole === '$$(' ? '$(' : whole) : idOf(resource, path.replaceAll('))', ')')),
  );
}
