/**
 * A configuration as code: one file for each thing, with names in place of the ids of an installation, in an order that is
 * always the same.
 */
import type { ConfigurationDocument, NamedRow } from '@cloudfit/contract/configuration.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Field } from '@cloudfit/contract/resource.ts';
import type { ConfigurationPart } from '../part.ts';
import { isExported, portableFields, portableResources, type PortableResource } from '../portable.ts';
import { idOfPath, namesOfPath, nothing, pathOfNames, pathOfRow, starred, unstarred, withIds, withReferences } from './paths.ts';

type Content = Record<string, unknown>;

/** A file of the folder: its path there, and its content, which begins with its kind. */
export interface CodeFile {
  path: string;
  content: Content;
}

/** How many faults one refusal names. */
const maxNamed = 20;

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Names of devices, which no file of Windows may have. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** A name as a part of a path: letters of all scripts, Latin ones without accents. */
function slug(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  const [short = ''] = /^.{0,60}/u.exec(plain.replaceAll(/^[-\p{M}]+|-+$/gu, '')) ?? [];
  return reserved.test(short) ? `${short}-` : short || 'unnamed';
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

/** What the ids of a document stand for: `places` by id; `encoded` writes paths in place of ids. */
function namedIn(document: ConfigurationDocument) {
  const places = new Map<string, { resource: string; path: string }>();
  const find = (id: string) => places.get(id);
  const pathOf = (id: unknown): string => places.get(String(id).toLowerCase())?.path ?? String(id);
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
    const names = resource === 'people' ? [name] : [...tenant, ...(of ? [starred(of)] : []), starred(name)];
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
  return { places, pathOf, rowsOf, all, encoded };
}

const placeKey = (kind: string, path: string): string => `${kind}: ${path}`;

/** The ids of a document by kind and names, for files that name things which are here and not among them. */
export const idsByPlace = (document: ConfigurationDocument): ReadonlyMap<string, string> =>
  new Map([...namedIn(document).places].map(([id, { resource, path }]) => [placeKey(resource, path), id]));

/** The files of a document. Throws 400 if two things have the same names, because a reference could mean either. */
export function codeOf(document: ConfigurationDocument, parts: readonly ConfigurationPart[]): CodeFile[] {
  const { pathOf, rowsOf, all, encoded } = namedIn(document);
  const files: (CodeFile & { kind: string; name: string })[] = [];
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
  const free = new Set(files.map(({ path }) => path));
  const used = new Set<string>();
  return files
    .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.name < b.name ? -1 : 1))
    .map(({ path, content }) => {
      let place = path;
      // The second one of Mill is not at the place of one that is named Mill 2.
      for (let n = 2; used.has(place) || (place !== path && free.has(place)); n += 1) place = `${path}-${n}`;
      used.add(place);
      return { path: `${place}.yaml`, content };
    });
}

/** Kinds of things that a folder names and does not contain. */
const namedKinds = ['people', 'devices', 'blocks', 'packages', 'operations'];

function namedRow(resource: string, path: string): NamedRow {
  const names = namesOfPath(path);
  const key = idOfPath(resource, path);
  const name = unstarred(names.at(-1) ?? path);
  if (resource === 'people') return { key, name };
  const [tenant = nothing] = names;
  return {
    key,
    name,
    ...(tenant === nothing ? {} : { tenantId: idOfPath('tenants', pathOfNames([tenant])) }),
    ...(names.length > 2 ? { of: unstarred(names.at(-2) ?? '') } : {}),
  };
}

const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** That there is no such kind, and which one somebody may have meant: with other capitals, or of one thing. */
function noKind(kind: unknown, resources: readonly PortableResource[], parts: readonly ConfigurationPart[]): string {
  const text = String(kind).toLowerCase();
  const meant =
    resources.find(({ name, label }) => [name, label.replaceAll(' ', '')].some((word) => word.toLowerCase() === text)) ??
    parts.find(({ name }) => name.toLowerCase() === text);
  const kinds = [...resources, ...parts].map(({ name }) => name).toSorted();
  return `there is no kind ${String(kind)}. ${meant ? `Write ${meant.name}.` : `There are ${kinds.join(', ')}.`}`;
}

/** Which thing of a kind somebody may have meant: with other capitals, or with a slash that is not doubled. */
function meantBy(kind: string, path: string, places: Iterable<string>): string {
  const plain = (place: string): string => place.replaceAll('//', '/').toLowerCase();
  const target = plain(placeKey(kind, path));
  const meant = [...places].find((place) => plain(place) === target);
  return meant === undefined ? '' : ` Write ${meant.slice(kind.length + 2)}.`;
}

/** What YAML reads as no text in a field that is text: `1.10` is the number 1.1, and `true` is no word. */
function unquoted([name, { kind, label }]: [string, Field], value: unknown): string | undefined {
  if (kind !== 'text' || (typeof value !== 'number' && typeof value !== 'boolean')) return undefined;
  return `${label} must be text, and YAML reads a ${typeof value}, ${value}. Write ${name}: "..." with quotes.`;
}

/** Why a file cannot be applied. */
interface FileFault {
  file: string;
  kind: string;
  reason: string;
}

interface ReadFiles {
  document: ConfigurationDocument;
  faults: FileFault[];
  /** References to things that no file has. */
  lacking: FileFault[];
}

function read(files: readonly CodeFile[], parts: readonly ConfigurationPart[], here: ReadonlyMap<string, string>): ReadFiles {
  const all = portableResources().filter(isExported);
  const byName = new Map<unknown, PortableResource>(all.map((resource) => [resource.name, resource]));
  const rows: Record<string, Content[]> = {};
  const names = new Map<string, Map<string, NamedRow>>();
  const faults: FileFault[] = [];
  const lacking: FileFault[] = [];
  const present = new Map<string, string>();
  for (const { path: file, content } of files) {
    const resource = byName.get(content['kind']);
    if (!resource) continue;
    const place = placeKey(resource.name, pathOfRow(resource, content));
    const other = present.get(place);
    if (other !== undefined) {
      const reason = `${other} has ${pathOfRow(resource, content)}, too. Remove one, or rename it.`;
      faults.push({ file, kind: resource.name, reason });
    }
    present.set(place, file);
  }
  for (const { path: file, content } of files) {
    const { kind, ...fields } = content;
    const resource = byName.get(kind);
    const part = parts.find(({ name }) => name === kind);
    if (!resource) {
      if (part) (rows[part.name] ??= []).push(fields);
      else faults.push({ file, kind: String(kind), reason: noKind(kind, all, parts) });
      continue;
    }
    const idOf = (target: string, path: string): string => {
      // What the export did not name stays an id.
      if (isId.test(path)) return path;
      const id = here.get(placeKey(target, path));
      if (namedKinds.includes(target)) {
        const of = names.get(target) ?? new Map<string, NamedRow>();
        names.set(target, of.set(path, namedRow(target, path)));
      } else if (!present.has(placeKey(target, path))) {
        if (id !== undefined) return id;
        const meant = meantBy(target, path, [...present.keys(), ...here.keys()]);
        lacking.push({
          file,
          kind: resource.name,
          reason: `names the ${target} ${path}, which is neither in these files nor here.${meant}`,
        });
      }
      return idOfPath(target, path);
    };
    const row: Content = { ...fields };
    for (const [name, field] of fieldsOf(resource)) {
      const value = fields[name];
      const reason = unquoted([name, field], value);
      if (reason !== undefined) faults.push({ file, kind: resource.name, reason });
      // A line that somebody removes from a file clears the field.
      if (value === undefined || value === null) {
        if (field.nullable) row[name] = null;
      } else if (field.ref && typeof value === 'string') row[name] = idOf(field.ref, value);
      else row[name] = mapTexts(value, (text) => withIds(text, idOf));
    }
    const keyIsWritten = resource.fields[resource.key]?.write !== 'never';
    (rows[resource.name] ??= []).push(
      keyIsWritten ? row : { ...row, [resource.key]: idOfPath(resource.name, pathOfRow(resource, fields)) },
    );
  }
  const named = Object.fromEntries([...names].map(([resource, of]) => [resource, [...of.values()]]));
  return { document: { cloudfit: 'configuration', version: 1, rows, names: named }, faults, lacking };
}

/** Whether a file names a thing that no file has, and that may be here. */
export const namesOthers = (files: readonly CodeFile[], parts: readonly ConfigurationPart[]): boolean =>
  read(files, parts, new Map()).lacking.length > 0;

/**
 * The document of files, with ids that follow from the names; `here` has the ids of things that files name and do not contain. Throws 400
 * for each file that names what is neither among them nor there.
 */
export function documentOf(
  files: readonly CodeFile[],
  parts: readonly ConfigurationPart[],
  here: ReadonlyMap<string, string> = new Map(),
): ConfigurationDocument {
  const { document, faults, lacking } = read(files, parts, here);
  const all = [...faults, ...lacking].map(({ file, reason }) => `${file}: ${reason}`);
  const more = all.length > maxNamed ? [`So are ${all.length - maxNamed} more.`] : [];
  if (all.length > 0) throw new ApiError('ValidationFailed', [...all.slice(0, maxNamed), ...more].join(' '));
  return document;
}

/**
 * The files without those that `documentOf` refuses, and why they are left out: of kinds that this version does not have, twice the same
 * thing, or naming what nothing has, such as what is left out.
 */
export function withoutFaults(
  files: readonly CodeFile[],
  parts: readonly ConfigurationPart[],
  here: ReadonlyMap<string, string> = new Map(),
): { files: CodeFile[]; left: FileFault[] } {
  let rest = [...files];
  const left: FileFault[] = [];
  for (;;) {
    const { faults, lacking } = read(rest, parts, here);
    const wrong = [...faults, ...lacking];
    if (wrong.length === 0) return { files: rest, left };
    const names = new Set(wrong.map(({ file }) => file));
    left.push(...[...names].flatMap((name) => wrong.find(({ file }) => file === name) ?? []));
    rest = rest.filter(({ path }) => !names.has(path));
  }
}

/** Where each row of the document of files comes from: the path of the file, by a place such as `rules[3]`. */
export function filesByPlace(files: readonly CodeFile[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  return new Map(
    files.map(({ path, content }) => {
      const kind = String(content['kind']);
      const count = counts.get(kind) ?? 0;
      counts.set(kind, count + 1);
      return [`${kind}[${count}]`, path];
    }),
  );
}

/** What the files are about: kind and names, which stay the same wherever a file is, and the name of the tenant, if they are of one. */
export function thingsIn(files: readonly CodeFile[]): { kind: string; path: string; tenant?: string }[] {
  const all = portableResources().filter(isExported);
  return files.map(({ content: { kind, ...fields } }) => {
    const resource = all.find(({ name }) => name === kind);
    const path = resource ? pathOfRow(resource, fields) : pathOfNames([nothing, String(fields['name'] ?? fields['title'] ?? kind)]);
    // An exception of a tenant begins with its rule, which may be of all.
    const of = fields['tenantId'];
    const [tenant = nothing] = namesOfPath(typeof of === 'string' ? of : path);
    return { kind: String(kind), path, ...(tenant === nothing ? {} : { tenant }) };
  });
}
