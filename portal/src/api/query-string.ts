/** What a list asks the server, as the query of its address. */
export interface ListQuery {
  /** Steps such as a grouping; the other options are about what they answer. */
  apply?: string | undefined;
  filter?: string | undefined;
  expand?: readonly string[] | undefined;
  select?: readonly string[] | undefined;
  orderBy?: string | undefined;
  top?: number;
  skip?: number;
  count?: boolean;
}

/** `?$filter=...&$top=10`; empty options are left out. */
export function queryString(query: ListQuery): string {
  const pairs: [string, string | undefined][] = [
    ['$apply', query.apply],
    ['$filter', query.filter],
    ['$expand', query.expand?.join(',')],
    ['$select', query.select?.join(',')],
    ['$orderby', query.orderBy],
    ['$top', query.top?.toString()],
    ['$skip', query.skip ? String(query.skip) : undefined],
    ['$count', query.count ? 'true' : undefined],
  ];
  return `?${pairs
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`)
    .join('&')}`;
}
