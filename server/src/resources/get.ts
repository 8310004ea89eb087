/** Loads one row inside the caller's scope: for answers, and locked for writing. */
import { sql } from 'kysely';
import { ApiError, notFound } from '@cloudfit/contract/errors.ts';
import type { Resource, Row } from '@cloudfit/contract/resource.ts';
import { requireScope, type Ctx } from '../context/ctx.ts';
import { columnName } from './column-name.ts';
import { compile } from './compile.ts';
import { selectList, toColumn } from './present.ts';
import { allOf } from './scope.ts';
import { visible } from './reach.ts';
import type { AnyRow, AnyServed, Served } from './served.ts';
import { hasVersion, rememberVersion } from './version.ts';

/** Key as its column takes it; one that cannot be a key names no row. */
export function parseKey(served: AnyServed, key: string | number): string | number {
  const { resource } = served;
  const field = resource.fields[resource.key];
  const value = field?.kind === 'bigint' ? Number(key) : key;
  const parsed = field?.schema().safeParse(value);
  if (!parsed?.success || (typeof value === 'number' && !Number.isSafeInteger(value))) throw notFound(resource.label);
  return parsed.data as string | number;
}

/**
 * Locks of a row: `edit` lets others go on writing what refers to it (a worker's note on a work unit that somebody
 * edits); `remove` does not, and both keep out other edits. An edit that kept out references too would wait in a circle
 * with a worker that has written the action's outcome and now its note.
 */
const locks = { edit: sql` for no key update of t`, remove: sql` for update of t` };

/** The rows of these keys that the caller may see, by key as text, locked for an edit in the order of their keys. */
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

/** The row as it travels, or 404: a row outside the scope does not exist for the caller. */
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
  const [found] = await ctx.db.query<{ row: Row<R>; version: string | null }>(
    compile(
      sql`select (select row_to_json(r) from (select ${selectList(resource, 't')}) r) as row, ${version} as version from ${sql.table(served.table)} as t where ${allOf([is, ...visible(ctx, served, 't', scope)])}${options.lock ? locks[options.lock] : sql``}`,
    ),
  );
  if (!found) throw notFound(resource.label);
  return rememberVersion(found.row, found.version);
}
