/** What differs between two values, line by line and only what changed, for people to read. */

/** One value within a field; `path` says where, with positions from 1. `before` or `after` is absent where there is no value. */
export interface DifferenceLine {
  path: string;
  before?: string;
  after?: string;
}

type JsonObject = Record<string, unknown>;

/** JSON in a text, such as the parameters of an action, is compared by its values. */
function opened(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '';
const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** As text, with the properties in the order of their names, because the database changes their order. */
function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_, part: unknown) =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

/** What tells items of a list apart when their other values change. */
function nameOf(item: unknown): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const name = ['id', 'Id', 'name', 'Name', 'ActionDefinitionId'].find((key) => typeof item[key] === 'string');
  return name && `${name} ${String(item[name])}`;
}

/** Pairs the items of two lists: equal ones, then those with the same name, then the others in their order. */
function pairs(before: readonly unknown[], after: readonly unknown[]): [before: number | undefined, after: number | undefined][] {
  const openBefore = new Set(before.keys());
  const openAfter = new Set(after.keys());
  const partners = new Map<number, number>();
  const match = (keyOf: (item: unknown) => string | undefined) => {
    const waiting = new Map<string, number[]>();
    for (const at of openBefore) {
      const key = keyOf(before[at]);
      if (key !== undefined) waiting.set(key, [...(waiting.get(key) ?? []), at]);
    }
    for (const at of openAfter) {
      const key = keyOf(after[at]);
      const partner = key === undefined ? undefined : waiting.get(key)?.shift();
      if (partner === undefined) continue;
      partners.set(at, partner);
      openAfter.delete(at);
      openBefore.delete(partner);
    }
  };
  match(canonical);
  match(nameOf);
  match((item) => (isJsonObject(item) && nameOf(item) === undefined ? 'an item' : undefined));
  const matched = [...after.keys()].map((at): [number | undefined, number | undefined] => [partners.get(at), at]);
  return [...matched, ...[...openBefore].map((at): [number, undefined] => [at, undefined])];
}

function within(path: string, name: string | number): string {
  return path === '' ? String(name) : `${path} ${name}`;
}

function compare(path: string, before: unknown, after: unknown): DifferenceLine[] {
  const [was, is] = [opened(before), opened(after)];
  if (canonical(was) === canonical(is) || (isEmpty(was) && isEmpty(is))) return [];
  const [old, next] = [was ?? (Array.isArray(is) ? [] : {}), is ?? (Array.isArray(was) ? [] : {})];
  if (Array.isArray(old) && Array.isArray(next))
    return pairs(old, next).flatMap(([from, to]) =>
      compare(within(path, (to ?? from ?? 0) + 1), from === undefined ? undefined : old[from], to === undefined ? undefined : next[to]),
    );
  if (isJsonObject(old) && isJsonObject(next) && (isJsonObject(was) || isJsonObject(is)))
    return [...new Set([...Object.keys(old), ...Object.keys(next)])].flatMap((name) => compare(within(path, name), old[name], next[name]));
  const text = (value: unknown) => (isEmpty(value) ? {} : typeof value === 'object' ? JSON.stringify(value) : String(value));
  const [left, right] = [text(was), text(is)];
  return [{ path, ...(typeof left === 'string' ? { before: left } : {}), ...(typeof right === 'string' ? { after: right } : {}) }];
}

/** The lines in which two values of a field differ. */
export function differenceLines(before: unknown, after: unknown): DifferenceLine[] {
  return compare('', before, after);
}

const guid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/** The ids in a value, also inside JSON and text, in lower case and each once. */
export function guidsIn(value: unknown): string[] {
  return [...new Set((JSON.stringify(value ?? null).match(guid) ?? []).map((id) => id.toLowerCase()))];
}

/** The text with names in place of the ids that have one. */
export function withNames(text: string, names: Readonly<Record<string, string>>): string {
  return text.replaceAll(guid, (id) => names[id.toLowerCase()] ?? id);
}
