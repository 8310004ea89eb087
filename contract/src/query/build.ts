/** Builds `$filter` texts from what a person chose or typed. The caller URL-encodes them. */
import type { Field, Kind, Relation, RelationName, Resource } from '../resource.ts';
import type { FieldPath } from '../resources/expanded.ts';
import { searchedByText } from './functions.ts';
import { folded } from './text.ts';
import type { CompareOp, Type } from './tree.ts';
import { calendarDate, duration, guidValue, literalText, number, timestamp } from './values.ts';

export type InputValue = string | number | boolean | null;

/** Returns the literal of a value for a kind of field; undefined if the value does not fit, such as a half-typed GUID. */
export function literal(kind: Kind, value: InputValue): string | undefined {
  if (value === null) return 'null';
  const text = String(value);
  const as = (type: Type, value: string | number | undefined) => (value === undefined ? undefined : literalText(type, value));
  switch (kind) {
    case 'text':
    case 'json':
      return literalText('text', text);
    case 'guid':
      return as('guid', guidValue(text));
    case 'timestamp':
      return as('timestamp', timestamp(calendarDate(text) ? `${text}T00:00:00Z` : text));
    case 'time':
      return as('duration', duration(text));
    case 'boolean':
      return /^(true|false)$/.test(text) ? text : undefined;
    case 'decimal':
      return text.trim() !== '' && number(text.trim()) ? text.trim() : undefined;
    case 'int':
    case 'bigint':
      return /^-?\d+$/.test(text.trim()) && number(text.trim()) ? text.trim() : undefined;
  }
}

/** Joins filters by `and`. Ignores undefined parts; returns undefined if there is no part. */
export function and(...parts: readonly (string | undefined)[]): string | undefined {
  return chain('and', parts);
}

export function or(...parts: readonly (string | undefined)[]): string | undefined {
  return chain('or', parts);
}

function chain(word: 'and' | 'or', parts: readonly (string | undefined)[]): string | undefined {
  const filled = parts.filter((part) => part !== undefined);
  if (filled.length < 2) return filled[0];
  return filled.map((part) => (/ (and|or) /.test(part) ? `(${part})` : part)).join(` ${word} `);
}

/** The rows whose fields a condition names: rows of a resource, or related rows. */
export interface FieldsOf<F extends Record<string, Pick<Field, 'kind'>> = Record<string, Pick<Field, 'kind'>>> {
  fields: F;
  /** The relation that leads to a related row; absent for rows of the resource. */
  through?: string;
}

type FieldNameIn<S extends FieldsOf> = keyof S['fields'] & string;

/**
 * The rows that `relation` of a resource leads to, so that conditions can name their fields: `related(rules,
 * 'subscription', subscriptions)`.
 */
export function related<R extends Resource, const Name extends RelationName<R>, F extends Record<string, Field>>(
  _of: R,
  relation: Name,
  to: Resource<F, Record<string, Relation>, R['relations'][Name]['to']>,
): FieldsOf<F> {
  return { fields: to.fields, through: relation };
}

/** A field as a query names it: `name`, or `relation/name`. */
export function path<S extends FieldsOf>({ through }: S, name: FieldNameIn<S>): string {
  return through === undefined ? name : `${through}/${name}`;
}

const kindOf = ({ fields }: FieldsOf, name: string): Kind => fields[name]?.kind ?? 'text';

/** `field op value`; undefined when the value does not fit the field. */
export function compare<S extends FieldsOf>(of: S, name: FieldNameIn<S>, op: CompareOp, value: InputValue): string | undefined {
  const text = literal(kindOf(of, name), value);
  return text === undefined ? undefined : `${path(of, name)} ${op} ${text}`;
}

export function eq<S extends FieldsOf>(of: S, name: FieldNameIn<S>, value: InputValue): string | undefined {
  return compare(of, name, 'eq', value);
}

/** A filter for one of the values. Ignores values that do not fit the field; without any value no row matches. */
export function oneOf<S extends FieldsOf>(of: S, name: FieldNameIn<S>, values: readonly InputValue[]): string {
  const [first, ...rest] = values.map((value) => literal(kindOf(of, name), value)).filter((text) => text !== undefined);
  if (first === undefined) return 'false';
  return rest.length === 0 ? `${path(of, name)} eq ${first}` : `${path(of, name)} in (${[first, ...rest].join(',')})`;
}

/** A filter for a text in a field, ignoring case and accents as people expect. */
export function contains<S extends FieldsOf>(of: S, name: FieldNameIn<S>, text: string): string {
  return containsAt(path(of, name), text);
}

/** A filter for fields without the text. Rows without a value match too, as people expect; by the standard they would not. */
export function notContains<S extends FieldsOf>(of: S, name: FieldNameIn<S>, text: string): string {
  return `(not ${contains(of, name, text)} or ${path(of, name)} eq null)`;
}

const containsAt = (at: string, text: string): string => `contains(folded(${at}),${literalText('text', folded(text))})`;

/** Maximum length of a searched text in an address, where the filter repeats it for many fields. */
const longestSearched = 150;

/** Of a longer text, such as a line of a log, a search looks for the beginning. */
function startOfLong(text: string): string {
  let start = '';
  for (const char of text.toWellFormed()) {
    if (encodeURIComponent(start + char).length > longestSearched) break;
    start += char;
  }
  return start;
}

/**
 * The filter of a search box: the text is in any `search` field of the resource, or in a path of `more`, such as `tenant/name`. Numbers
 * and GUIDs are compared if the text is a number, also one like `#1504`, or a GUID. `exact`: texts must equal the text, ignoring case and
 * accents. Where the database has a text for each row, its search finds the words of the text in any order.
 */
export function searchFilter<R extends Resource>(
  resource: R,
  text: string,
  exact = false,
  more: readonly FieldPath<R>[] = [],
): string | undefined {
  const trimmed = exact ? text.trim() : startOfLong(text.trim());
  if (trimmed === '') return undefined;
  if (!exact && searchedByText.has(resource.name)) return `found(${literalText('text', trimmed)})`;
  const paths = new Set([...Object.entries<Field>(resource.fields).flatMap(([name, field]) => (field.search ? [name] : [])), ...more]);
  return or(...[...paths].map((at) => searchIn(at, kindOf(resource, at), trimmed, exact))) ?? 'false';
}

/** The sort key that puts first what the search of a text finds best; undefined where a search has no such order. */
export function searchOrder(resource: Resource, text: string): string | undefined {
  const trimmed = startOfLong(text.trim());
  return trimmed === '' || !searchedByText.has(resource.name) ? undefined : `relevance(${literalText('text', trimmed)}) desc`;
}

/** The filter for all rows that `searchFilter` does not match. */
export function notSearchFilter(resource: Resource, text: string): string {
  if (searchedByText.has(resource.name)) return `not found(${literalText('text', startOfLong(text.trim()))})`;
  const names = Object.entries<Field>(resource.fields).flatMap(([name, field]) => (field.search ? [name] : []));
  const parts = names.flatMap((name) => {
    const part = searchIn(name, kindOf(resource, name), text.trim(), false);
    return part === undefined ? [] : [`(not (${part}) or ${name} eq null)`];
  });
  return parts.length === 0 ? 'true' : parts.join(' and ');
}

function searchIn(at: string, kind: Kind, text: string, exact: boolean): string | undefined {
  if (kind === 'text') return exact ? `folded(${at}) eq ${literalText('text', folded(text))}` : containsAt(at, text);
  if (kind !== 'int' && kind !== 'bigint' && kind !== 'decimal' && kind !== 'guid') return undefined;
  const value = literal(kind, text.replace(/^#(?=\d)/, ''));
  return value === undefined ? undefined : `${at} eq ${value}`;
}
