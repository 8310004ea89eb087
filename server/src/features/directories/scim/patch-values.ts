/** Changes of an attribute with several values, such as emails and members. Texts are compared without regard to case. */
import { filter as testOf, parse } from 'scim2-parse-filter';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { ScimRefusal } from './scim-error.ts';

type ScimValue = Readonly<Record<string, unknown>>;

export interface ValuesChange {
  op: 'add' | 'replace' | 'remove';
  path: string;
  /** The filter in brackets, or an empty text; the part after the dot. */
  filter: string;
  part: string | undefined;
  value: unknown;
}

const lower = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value);
const isPrimary = ({ primary }: ScimValue): boolean => String(primary).toLowerCase() === 'true';

/** The names of parts in their right case; a text alone is a value. */
export function withPartNames(value: unknown, parts: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => withPartNames(each, parts));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [parts.find((name) => name.toLowerCase() === key.toLowerCase()) ?? key, part]),
  );
}

const listOf = (value: unknown): ScimValue[] =>
  (Array.isArray(value) ? value : [value]).flatMap((each: unknown) =>
    typeof each === 'object' && each !== null ? [each as ScimValue] : each === null || each === undefined ? [] : [{ value: each }],
  );

/** Which values a filter means. The usual one, for a member of thousands, is compared without the parser. */
function testFor(text: string): (value: ScimValue) => boolean {
  const [, id] = /^\s*value\s+eq\s+"([^"\\]*)"\s*$/i.exec(text) ?? [];
  if (id !== undefined) return ({ value }) => lower(value) === id.toLowerCase();
  try {
    // Entra ID sends true and false as texts.
    const test = testOf(parse(text.toLowerCase().replaceAll(/\b(primary\s+(?:eq|ne)\s+)"(true|false)"/g, '$1$2')));
    return (value) => test(Object.fromEntries(Object.entries(value).map(([key, part]) => [key.toLowerCase(), lower(part)])));
  } catch (error) {
    throw new ScimRefusal(400, `The filter cannot be read: ${messageOf(error)}`, 'invalidFilter');
  }
}

/** A value with the type that a filter names, for a type that nobody has yet; undefined when it names anything else. */
function namedBy(text: string, isAdd: boolean): ScimValue | undefined {
  const [, name = '', value] = /^\s*(\w+)\s+eq\s+"([^"\\]*)"\s*$/i.exec(text) ?? [];
  return value !== undefined && (isAdd || /^type$/i.test(name)) ? { [name.toLowerCase()]: value } : undefined;
}

/** One primary value at most: that which has just become it. */
function withOnePrimary(before: readonly ScimValue[], after: readonly ScimValue[]): readonly ScimValue[] {
  if (after.filter(isPrimary).length < 2) return after;
  const earlier = new Set(before.filter(isPrimary).map(({ value }) => lower(value)));
  const fresh = after.filter((each) => isPrimary(each) && !earlier.has(lower(each['value'])));
  return fresh.length === 1 ? after.map((each) => (isPrimary(each) && each !== fresh[0] ? { ...each, primary: false } : each)) : after;
}

function added(current: readonly ScimValue[], values: readonly ScimValue[]): ScimValue[] {
  const byValue = new Map(current.map((each) => [lower(each['value']), each]));
  for (const each of values) byValue.set(lower(each['value']), { ...byValue.get(lower(each['value'])), ...each });
  return [...byValue.values()];
}

function removed(current: readonly ScimValue[], { filter, part, value }: ValuesChange): ScimValue[] {
  const isMeant = filter === '' ? () => true : testFor(filter);
  if (part !== undefined) return current.map((each) => (isMeant(each) ? { ...each, [part]: undefined } : each));
  if (value === undefined || value === null) return current.filter((each) => !isMeant(each));
  // Clients name what they remove by its value alone, or by all that they know of it.
  const removedValues = new Set(listOf(value).map((each) => lower(each['value'])));
  return current.filter((each) => !isMeant(each) || !removedValues.has(lower(each['value'])));
}

/** Returns the values after one operation of a patch (RFC 7644, 3.5.2). */
export function changedValues(current: readonly ScimValue[], change: ValuesChange): readonly ScimValue[] {
  const { op, path, filter, part, value } = change;
  if (op === 'remove') return removed(current, change);
  if (filter === '' && part === undefined) return op === 'replace' ? listOf(value) : withOnePrimary(current, added(current, listOf(value)));
  const isMeant = filter === '' ? () => true : testFor(filter);
  const set = (each: ScimValue): ScimValue => ({ ...each, ...(part === undefined ? listOf(value)[0] : { [part]: value }) });
  if (current.some(isMeant))
    return withOnePrimary(
      current,
      current.map((each) => (isMeant(each) ? set(each) : each)),
    );
  // Entra ID replaces the work address of somebody who has none yet. A filter by anything else names a value that must be there.
  const named = filter === '' ? {} : namedBy(filter, op === 'add');
  if (!named) throw new ScimRefusal(400, `${path} names nothing that is there.`, 'noTarget');
  return withOnePrimary(current, [...current, set(named)]);
}
