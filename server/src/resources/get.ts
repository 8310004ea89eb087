/** Loads rows inside the caller's scope, for answers or locked for writing, and compares their versions (ETags). */
import { sql } from '../db/sql.ts';
import { ApiError, notFound } from '@cloudfit/contract/errors.ts';
import type { Resource, Row } from '@cloudfit/contract/resource.ts';
import { requireScope, type Ctx } from '../context/ctx.ts';
import { columnName } from '../db/column-name.ts';
import { selectList, toColumn } from '../query/columns.ts';
import { compile } from '../db/compile.ts';
import { missingRow } from './disabled-tenants.ts';
import { hasVersion, visible } from './scope.ts';
import { allOf } from '../query/filter.ts';
import type { AnyRow, AnyServed, Served } from './served.ts';

/** Returns the key as its column stores it; throws 404 for an invalid key, which no row can have. */
export function parseKey(served: AnyServed, key: string | number): string | number {
  const { resource } = served;
  const field = resource.fields[resource.key];
  const value = field?.kind === 'bigint' ? Number(key) : key;
  const parsed = field?.schema().safeParse(value);
  if (!parsed?.success || (typeof value === 'number' && !Number.isSafeInteger(value))) throw notFound(resource.label);
  return parsed.data as string | number;
}

/**
 * Locks of a row; both exclude other edits of the row. `edit` allows other transactions to write rows that refer to it, such as
 * a worker's note on a work unit that somebody edits; `remove` does not. If `edit` excluded such rows, it could deadlock with a
 * worker that has written an action's outcome and writes the note next.
 */
const locks = { edit: sql` for no key update of t`, remove: sql` for update of t` };

/** The rows with these keys that the caller may see, by key as text, locked for an edit in the order of their keys. */
export async function loadRows(ctx: Ctx, served: AnyServed, keys: readonly (string | number)[]): Promise<Map<string, AnyRow>> {
  const { resource } = served;
  const scope = requireScope(ctx, resource.area, 'view', resource.viewedWith);
  const key = sql.ref(`t.${columnName(resource.key)}`);
  const type = resource.fields[resource.key]?.kind === 'guid' ? sql`uuid[]` : sql`bigint[]`;
  const version = hasVersion(served) ? sql`t.xmin::text` : sql`null`;
  const rows = await ctx.db.query<{ row: AnyRow; version: string | null }>(
    compile(
      sql`select (select row_to_json(r) from (select ${selectList(resource, 't')}) r) as row, ${version} as version from ${sql.table(served.table)} as t where ${allOf([sql<boolean>`${key} = any(${[...keys]}::${type})`, ...visible(ctx, served, 't', scope)])} order by ${key}${locks.edit}`,
    ),
  );
  return new Map(rows.map(({ row, version }) => [String(row[resource.key]), rememberVersion(row, version)]));
}

/** Returns the row as it is sent; for a row outside the caller's scope, throws the error of `missingRow`: 404 or 403. */
export async function get<R extends Resource>(
  ctx: Ctx,
  served: Served<R>,
  key: string | number,
  options: { lock?: keyof typeof locks } = {},
): Promise<Row<R>> {
  const { resource } = served;
  const scope = requireScope(ctx, resource.area, 'view', resource.viewedWith);
  const field = resource.fields[resource.key];
  if (!field) throw new ApiError('InternalError', 'Something went wrong on the server.');
  const is = sql<boolean>`${sql.ref(`t.${columnName(resource.key)}`)} = ${toColumn(field, parseKey(served, key))}`;
  const version = hasVersion(served) ? sql`t.xmin::text` : sql`null`;
  const [row] = await ctx.db.query<{ row: Row<R>; version: string | null }>(
    compile(
      sql`select (select row_to_json(r) from (select ${selectList(resource, 't')}) r) as row, ${version} as version from ${sql.table(served.table)} as t where ${allOf([is, ...visible(ctx, served, 't', scope)])}${options.lock ? locks[options.lock] : sql``}`,
    ),
  );
  if (!row) throw await missingRow(ctx, served, parseKey(served, key));
  return rememberVersion(row.row, row.version);
}

/** Row versions, apart from the rows, so that records and hooks see declared fields only. */
const versions = new WeakMap<object, string>();

export function rememberVersion<R extends object>(row: R, version: string | null | undefined): R {
  if (version !== null && version !== undefined) versions.set(row, version);
  return row;
}

/** The weak ETag of a row that the engine has loaded or written; undefined if rows of its resource have no versions. */
export function etagOf(row: object): string | undefined {
  const version = versions.get(row);
  return version === undefined ? undefined : `W/"${version}"`;
}

/** The opaque tags of an `If-Match` or `If-None-Match` header; `*` stands for any. */
export function opaqueTags(header: string): string[] | '*' {
  return header.trim() === '*' ? '*' : [...header.matchAll(/(?:W\/)?"([^"]*)"/g)].map((row) => row[1] ?? '');
}

/** Whether an `If-None-Match` header has this ETag. `W/` makes no difference, as RFC 9110 requires for this header. */
export function namesTag(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = opaqueTags(ifNoneMatch ?? '');
  return tags === '*' || tags.some((tag) => `"${tag}"` === etag.replace(/^W\//, ''));
}

/**
 * Throws 412 unless `If-Match` is absent, `*`, or has the row's version. Earlier servers sent it with a dash and a hash behind
 * it for rows with related ones; clients may still hold such an ETag.
 */
export function requireMatch(row: object, ifMatch: string | undefined): void {
  if (ifMatch === undefined) return;
  const tags = opaqueTags(ifMatch);
  if (tags.length === 0)
    throw new ApiError('PreconditionFailed', 'Send in If-Match an ETag from an answer, with its quotes, such as W/"42", or *.', {
      target: 'If-Match',
    });
  const version = versions.get(row);
  if (tags === '*' || (version !== undefined && tags.some((tag) => tag.split('-')[0] === version))) return;
  throw new ApiError('PreconditionFailed', 'This was changed by somebody else in the meantime. Please load it again.', {
    target: 'If-Match',
  });
}
