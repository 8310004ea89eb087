/** Prints OData texts: literals, conditions, and what a grid asks for. */
import type { Kind } from '@cloudfit/contract/resource.ts';

export type Value = string | number | boolean | null;

export function literal(value: Value, kind: Kind): string {
  if (value === null) return 'null';
  if (kind === 'text' || kind === 'json' || kind === 'time') return `'${String(value).replaceAll("'", "''")}'`;
  return String(value);
}

export const text = (value: string) => literal(value, 'text');

/** Ignores case, as people expect of a search. */
export function contains(field: string, needle: string): string {
  return `contains(tolower(${field}),${text(needle.toLowerCase())})`;
}

export function equalsText(field: string, needle: string): string {
  return `tolower(${field}) eq ${text(needle.toLowerCase())}`;
}

export function oneOf(field: string, values: readonly Value[], kind: Kind): string {
  const first = values[0];
  if (values.length === 1 && first !== undefined) return `${field} eq ${literal(first, kind)}`;
  return `${field} in (${values.map((value) => literal(value, kind)).join(',')})`;
}

export function or(clauses: readonly string[]): string {
  return clauses.length > 1 ? `(${clauses.join(' or ')})` : (clauses[0] ?? '');
}

export function and(clauses: readonly (string | undefined)[]): string | undefined {
  const given = clauses.filter((clause) => clause !== undefined && clause !== '');
  return given.length > 0 ? given.join(' and ') : undefined;
}

export interface ListQuery {
  filter?: string | undefined;
  expand?: string | undefined;
  orderBy?: string | undefined;
  top?: number;
  skip?: number;
  count?: boolean;
  select?: string;
}

/** `?$filter=...&$top=10`; empty options are left out. */
export function queryString(query: ListQuery): string {
  const pairs: [string, string | undefined][] = [
    ['$filter', query.filter], ['$expand', query.expand], ['$orderby', query.orderBy], ['$select', query.select],
    ['$top', query.top?.toString()], ['$skip', query.skip ? String(query.skip) : undefined], ['$count', query.count ? 'true' : undefined],
  ];
  return `?${pairs.filter(([, value]) => value).map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`).join('&')}`;
}
