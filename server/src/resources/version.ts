/** The version of a row: the id of the transaction that wrote it last, which PostgreSQL keeps with every row. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { isPlainTable } from './read-tables.ts';
import type { AnyServed } from './served.ts';

/** Row versions ride beside the rows, so that records and hooks see declared fields only. */
const versions = new WeakMap<object, string>();

export function rememberVersion<R extends object>(row: R, version: string | null | undefined): R {
  if (version !== null && version !== undefined) versions.set(row, version);
  return row;
}

/** The weak ETag of a row that `get`, `create` or `update` answered; undefined for rows that nobody may change. */
export function etagOf(row: object): string | undefined {
  const version = versions.get(row);
  return version === undefined ? undefined : `W/"${version}"`;
}

/** Only rows that the API changes need a version. */
export function hasVersion({ resource, table }: AnyServed): boolean {
  return (resource.verbs.includes('update') || resource.verbs.includes('delete')) && isPlainTable(table);
}

/** The opaque parts of an `If-Match` or `If-None-Match` header; `*` stands for any. */
export function opaqueTags(header: string): string[] | '*' {
  return header.trim() === '*' ? '*' : [...header.matchAll(/(?:W\/)?"([^"]*)"/g)].map((found) => found[1] ?? '');
}

/** 412 unless the header names the version of this row. An ETag of a row with expansions begins with the row's own. */
export function requireMatch(row: object, ifMatch: string | undefined): void {
  if (ifMatch === undefined) return;
  const tags = opaqueTags(ifMatch);
  const version = versions.get(row);
  if (tags === '*' || (version !== undefined && tags.some((tag) => tag.split('-')[0] === version))) return;
  throw new ApiError('PreconditionFailed', 'This was changed by somebody else in the meantime. Please load it again.', {
    target: 'If-Match',
  });
}
