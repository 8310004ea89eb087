/**
 * A configuration as code: one file for each thing, with names in place of the ids of an installation, in an order that is
 * always the same.
 */
import type { ConfigurationDocument, NamedRow } from '@cloudfit/contract/configuration.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Field } from '@cloudfit/contract/resource.ts';
import type { ConfigurationPart } from '../part.ts';
import { isExported, portableFields, portableResources, type PortableResource } from '../portable.ts';
import { idOfPath, namesOfPath, nothing, pathOfNames, pathOfRow, withIds, withReferences } from './paths.ts';

type Content = Record<string, unknown>;

/** A file of the folder: its path there, and its content, which begins with its kind. */
export interface CodeFile {
  path: string;
  content: Content;
}

/** How many faults one refusal names. */
const maxNamed = 20;

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function slug(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return plain.replaceAll(/^-+|-+$/g, '').slice(0, 80) || 'unnamed';
}

/** Where the file of a row is: in the folder of its tenant or `global`, then of its kind. */
function placeOf(kind: string, path: string): string {
  const [tenant = nothing, ...names] = namesOfPath(path);
  const folder = tenant === nothing ? 'global' : slug(tenant);
  return names.length === 0
    ? `${folder}/${kind === 'tenants' ? 'tenant' : kebab(kind)}`
    : `${folder}/${kebab(kind)}/${slug(names.join(' '))}`;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, mapTexts(part, change)]));
}

/** The fields of a file: those that clients write, with the key where they write it. */
const fieldsOf = (resource: PortableResource): [string, Field][] =>
  portableFields(resource).filter(([name, { write }]) => name !== resource.key || write !== 'never');

/** The files of a document. Throws 400 if two things have the same names, because a reference could mean either. */
export function codeOf(document: ConfigurationDocument, parts: readonly ConfigurationPart[]): CodeFile[] {
  const places = new Map<string, { resource: string; path: string }>();
  const find = (id: string) => places.get(id);
  const pathOf = (id: unknown): string => places.get(String(id).toLowerCase())?.path ?? String(id);
  const files: (CodeFile & { kind: string; name: string })[] = [];
  const rowsOf = (name: string): readonly Content[] => document.rows[name] ?? [];
  const all = portableResources().filter(isExported);
  const encoded = (resource: PortableResource, row: Content): Content =>
    Object.fromEntries(
      fieldsOf(resource).flatMap(([name, field]) => {
        const value = row[name];
        if (value === null || value === undefined) return [];
        return [[name, field.ref && typeof value === 'string' ? pathOf(value) : mapTexts(value, (text) => withReferences(text, find))]];
      }),
    );
  const name = (resource: string, { key, tenantId, of, name }: NamedRow): void => {
    const tenant = tenantId ? namesOfPath(pathOf(tenantId)) : [nothing];
    const names = resource === 'people' ? [name] : [...tenant, ...(of ? [of] : []), name];
    places.set(key.toLowerCase(), { resource, path: pathOfNames(names) });
  };
  // Rows of one resource may name each other, so all paths are there before the first row is written.
  for (const resource of all) {
    for (const row of rowsOf(resource.name)) {
      const path = pathOfRow(resource, encoded(resource, row));
      places.set(String(row[resource.key]).toLowerCase(), { resource: resource.name, path });
    }
    if (resource.name === 'tenants')
      for (const [kind, rows] of Object.entries(document.names ?? {})) for (const row of rows) name(kind, row);
  }
  const same: string[] = [];
  for (const resource of all) {
    const paths = new Set<string>();
    for (const row of rowsOf(resource.name)) {
      const path = pathOf(row[resource.key]);
      if (paths.has(path)) same.push(`Two ${resource.plural} are named ${path}.`);
      paths.add(path);
      files.push({
        kind: resource.name,
        name: path,
        path: placeOf(resource.name, path),
        content: { kind: resource.name, ...encoded(resource, row) },
      });
    }
  }
  if (same.length > 0) {
    const more = same.length > maxNamed ? ` So are ${same.length - maxNamed} more.` : '';
    throw new ApiError('ValidationFailed', `${same.slice(0, maxNamed).join(' ')}${more} Rename one of each first.`);
  }
  for (const part of parts)
    for (const row of rowsOf(part.name)) {
      const title = pathOfNames([nothing, String(row['name'] ?? row['title'] ?? part.name)]);
      files.push({ kind: part.name, name: title, path: placeOf(part.name, title), content: { kind: part.name, ...row } });
    }
  const counts = new Map<string, number>();
  return files
    .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.name < b.name ? -1 : 1))
    .map(({ path, content }) => {
      const count = (counts.get(path) ?? 0) + 1;
      counts.set(path, count);
      return { path: `${path}${count > 1 ? `-${count}` : ''}.yaml`, content };
    });
}

/** Kinds of things that a folder names and does not contain. */
const namedKinds = ['people', 'devices', 'blocks', 'packages', 'operations'];

function namedRow(resource: string, path: string): NamedRow {
  const names = namesOfPath(path);
  const key = idOfPath(resource, path);
  const name = names.at(-1) ?? path;
  if (resource === 'people') return { key, name };
  const [tenant = nothing] = names;
  return {
    key,
    name,
    ...(tenant === nothing ? {} : { tenantId: idOfPath('tenants', pathOfNames([tenant])) }),
    ...(names.length > 2 ? { of: names.at(-2) } : {}),
  };
}

/** The document of files, with ids that follow from the names. Throws 400 for each file that names what the folder lacks. */
export function documentOf(files: readonly CodeFile[], parts: readonly ConfigurationPart[]): ConfigurationDocument {
  const all = portableResources().filter(isExported);
  const rows: Record<string, Content[]> = {};
  const names = new Map<string, Map<string, NamedRow>>();
  const references: { file: string; resource: string; path: string }[] = [];
  const present = new Set<string>();
  const faults: string[] = [];
  for (const { path: file, content } of files) {
    const { kind, ...fields } = content;
    const resource = all.find(({ name }) => name === kind);
    const list = (rows[String(kind)] ??= []);
    if (!resource) {
      if (parts.some(({ name }) => name === kind)) list.push(fields);
      else faults.push(`${file}: there is no kind ${String(kind)}.`);
      continue;
    }
    const idOf = (target: string, path: string): string => {
      if (namedKinds.includes(target)) {
        const of = names.get(target) ?? new Map<string, NamedRow>();
        names.set(target, of.set(path, namedRow(target, path)));
      } else references.push({ file, resource: target, path });
      return idOfPath(target, path);
    };
    const row: Content = { ...fields };
    for (const [name, field] of fieldsOf(resource)) {
      const value = fields[name];
      // A line that somebody removes from a file clears the field.
      if (value === undefined || value === null) {
        if (field.nullable) row[name] = null;
      } else if (field.ref && typeof value === 'string') row[name] = idOf(field.ref, value);
      else row[name] = mapTexts(value, (text) => withIds(text, idOf));
    }
    const path = pathOfRow(resource, fields);
    if (present.has(`${resource.name}: ${path}`)) faults.push(`${file}: another file has ${path}, too.`);
    present.add(`${resource.name}: ${path}`);
    const keyIsWritten = resource.fields[resource.key]?.write !== 'never';
    list.push(keyIsWritten ? row : { ...row, [resource.key]: idOfPath(resource.name, path) });
  }
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
  for (const { file, resource, path } of references)
    if (!present.has(`${resource}: ${path}`) && !isId.test(path)) faults.push(`${file}: names the ${resource} ${path}, which no file has.`);
  if (faults.length > 0) throw new ApiError('ValidationFailed', faults.slice(0, maxNamed).join(' '));
  return {
    cloudfit: 'configuration',
    version: 1,
    rows,
    names: Object.fromEntries([...names].map(([resource, of]) => [resource, [...of.values()]])),
  };
}

/** What the files are about: kind and names, which stay the same wherever a file is. */
export function thingsIn(files: readonly CodeFile[]): { kind: string; path: string }[] {
  const all = portableResources().filter(isExported);
  return files.map(({ content: { kind, ...fields } }) => {
    const resource = all.find(({ name }) => name === kind);
    return {
      kind: String(kind),
      path: resource ? pathOfRow(resource, fields) : pathOfNames([nothing, String(fields['name'] ?? fields['title'] ?? kind)]),
    };
  });
}
