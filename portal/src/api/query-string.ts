/** What a list asks the server, as the query of its address. */
export interface ListQuery {
  filter?: string | undefined;
  expand?: string | undefined;
  orderBy?: string | undefined;
  top?: number;
  skip?: number;
  count?: boolean;
}

/** `?$filter=...&$top=10`; empty options are left out. */
export function queryString(query: ListQuery): string {
  const pairs: [string, string | undefined][] = [
    ['$filter', query.filter],
    ['$expand', query.expand],
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
