/** `order by` of a query: its own keys or the default ones, and a key of the row last, so that pages never overlap. */
import { sql, type RawBuilder } from 'kysely';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { isNullable, type OrderKey, type Tree } from '@cloudfit/contract/query/tree.ts';
import type { Source } from './source.ts';
import { valueToSql } from './to-sql.ts';

function field(resource: Resource, name: string, descending = false): OrderKey {
  const nullable = resource.fields[name]?.nullable ?? false;
  return { of: { k: 'path', type: 'text', nullable, path: [name] }, descending };
}

/** Sort keys of a resource when nobody names any. */
export function defaultOrder(resource: Resource): OrderKey[] {
  return resource.orderBy.split(',').map((key) => {
    const [name = '', direction] = key.trim().split(' ');
    return field(resource, name, direction === 'desc');
  });
}

export function keyOrder(resource: Resource): OrderKey[] {
  return [field(resource, resource.key)];
}

const nameOf = (tree: Tree): string | undefined => (tree.k === 'path' && tree.of === undefined ? tree.path.join('/') : undefined);

/** A value to sort by, and which way. */
export interface SortPart {
  value: RawBuilder<unknown>;
  direction: RawBuilder<unknown>;
}

/** These keys, then those of `last` that are not among them. Null comes first, and last when descending. */
export function sortParts(keys: readonly OrderKey[], last: readonly OrderKey[], source: Source): SortPart[] {
  const named = new Set(keys.map(({ of }) => nameOf(of)));
  const all = [...keys, ...last.filter(({ of }) => !named.has(nameOf(of)))];
  return all.map(({ of, descending }) => {
    const nulls = isNullable(of) ? (descending ? sql` nulls last` : sql` nulls first`) : sql``;
    // A bare value would be read as the number of a column.
    const value = of.k === 'literal' ? sql`(${valueToSql(of, source)})` : sortValue(of, source);
    return { value, direction: sql`${descending ? sql` desc` : sql` asc`}${nulls}` };
  });
}

export function orderBy(parts: readonly SortPart[]): RawBuilder<unknown> {
  if (parts.length === 0) return sql``;
  return sql` order by ${sql.join(parts.map(({ value, direction }) => sql`${value}${direction}`))}`;
}

function sortValue(of: Tree, source: Source): RawBuilder<unknown> {
  return of.k === 'path' && source.sortColumn ? source.sortColumn(of.path, of.of) : valueToSql(of, source);
}

/** Page sizes are few and stand in the text: of an unknown limit the planner assumes the worst. */
export function paging(top: number | undefined, skip: number): RawBuilder<unknown> {
  const limit = top === undefined ? sql`` : sql.raw(` limit ${Math.trunc(top)}`);
  return skip === 0 ? limit : sql`${limit} offset ${skip}`;
}
