/** Builds `$filter` texts from what a person chose or typed. The caller URL-encodes them. */
import type { Field, Kind, Resource } from '../resource.ts';
import { lower } from './text.ts';
import type { CompareOp, Type } from './tree.ts';
import { calendarDate, duration, guidValue, literalText, number, timestamp } from './values.ts';

export type InputValue = string | number | boolean | null;

/** A literal of a field's kind; undefined when the value cannot be one (a half-typed GUID). */
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

/** Joins filters by `and`. Ignores undefined parts; without any part there is no filter. */
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

/** `path op value`; undefined when the value does not fit the kind. */
export function compare(path: string, op: CompareOp, value: InputValue, kind: Kind = 'text'): string | undefined {
  const text = literal(kind, value);
  return text === undefined ? undefined : `${path} ${op} ${text}`;
}

export function eq(path: string, value: InputValue, kind: Kind = 'text'): string | undefined {
  return compare(path, 'eq', value, kind);
}

/** A filter for one of the values. Ignores values that do not fit the kind; without any value no row matches. */
export function oneOf(path: string, values: readonly InputValue[], kind: Kind = 'text'): string {
  const [first, ...rest] = values.map((value) => literal(kind, value)).filter((text) => text !== undefined);
  if (first === undefined) return 'false';
  return rest.length === 0 ? `${path} eq ${first}` : `${path} in (${[first, ...rest].join(',')})`;
}

/** Case does not matter to people, so both sides are lowered. */
export function contains(path: string, text: string): string {
  return `contains(tolower(${path}),${literalText('text', lower(text))})`;
}

/** Rows without a value stay, as people expect; by the standard they would not. */
export function notContains(path: string, text: string): string {
  return `(not ${contains(path, text)} or ${path} eq null)`;
}

/**
 * The filter of a search box: any `search` field of the resource, or a path of `more` (a field, or a text such as `tenant/name`).
 * Fields of numbers and GUIDs take part when the text is a number or a GUID.
 */
export function searchFilter(resource: Resource, text: string, exact = false, more: readonly string[] = []): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const fields = new Map<string, Field>(Object.entries(resource.fields));
  const paths = new Set([...fields].flatMap(([name, field]) => (field.search ? [name] : [])).concat(more));
  const parts = [...paths].map((path) => searchIn(path, fields.get(path)?.kind ?? 'text', trimmed, exact));
  return or(...parts) ?? 'false';
}

function searchIn(path: string, kind: Kind, text: string, exact: boolean): string | undefined {
  if (kind === 'text') return exact ? `tolower(${path}) eq ${literalText('text', lower(text))}` : contains(path, text);
  return kind === 'int' || kind === 'bigint' || kind === 'decimal' || kind === 'guid' ? eq(path, text, kind) : undefined;
}
