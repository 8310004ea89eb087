/** Builds the query string of a list request. */
import type { FieldName, OrderBy, Resource } from '../resource.ts';
import type { ExpandItem, FieldPath } from '../resources/expanded.ts';

/** The options of a list. Without a specific `R`, field names are plain strings. */
export interface ListQuery<R extends Resource = Resource> {
  /** Steps such as a grouping; the other options apply to their result. */
  apply?: string | undefined;
  filter?: string | undefined;
  expand?: readonly ExpandItem<R>[] | undefined;
  select?: readonly FieldName<R>[] | undefined;
  orderBy?: OrderBy<FieldPath<R>> | undefined;
  top?: number;
  skip?: number;
  count?: boolean;
  /** If more rows match, the count may be any number above this one. */
  countUpTo?: number;
}

/** `$filter=...&$top=10`; empty options are left out. */
export function queryText<R extends Resource = Resource>(query: ListQuery<R>): string {
  const pairs: [string, string | undefined][] = [
    ['$apply', query.apply],
    ['$filter', query.filter],
    ['$expand', query.expand?.join(',')],
    ['$select', query.select?.join(',')],
    ['$orderby', query.orderBy === undefined ? undefined : [query.orderBy].flat().join(',')],
    ['$top', query.top?.toString()],
    ['$skip', query.skip ? String(query.skip) : undefined],
    ['$count', query.count ? 'true' : undefined],
    ['countUpTo', query.countUpTo?.toString()],
  ];
  return pairs
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`)
    .join('&');
}

/** The same query string with a leading `?`. */
export function queryString<R extends Resource = Resource>(query: ListQuery<R>): string {
  return `?${queryText(query)}`;
}
