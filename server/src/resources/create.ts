/** Creates a row: checks input, permissions and references, runs the hooks, writes row, audit and change in one statement. */
import { sql } from '../db/sql.ts';
import { ApiError, forbidden, validationFailed } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import type { Resource, Row, RowInput } from '@cloudfit/contract/resource.ts';
import { inTransaction, requireScope, type Ctx } from '../context/ctx.ts';
import { columnName } from '../db/column-name.ts';
import { toColumn } from '../query/columns.ts';
import { parseInput } from './input.ts';
import { restOf, writeRecorded } from './record.ts';
import { checkReferences, isTenantInScope, mayWrite } from './references.ts';
import { endsWithRow, type AnyRow, type AnyServed, type RowChange, type Served } from './served.ts';

export interface CreateOptions {
  /** Values of columns that are no fields of the resource, by column name. */
  columns?: Readonly<Record<string, unknown>>;
  /** Returns `undefined`, and writes nothing, when a unique constraint says that the row exists. */
  unlessExists?: boolean;
  /**
   * Brings back the row of the tenant that has the key in `columns` and is marked as deleted, with these values and its history. Returns
   * `undefined` when there is none.
   */
  revives?: boolean;
}

export function create<R extends Resource>(
  ctx: Ctx,
  served: Served<R>,
  input: RowInput<R>,
  options?: CreateOptions & { unlessExists?: false; revives?: false },
): Promise<Row<R>>;
export function create<R extends Resource>(
  ctx: Ctx,
  served: Served<R>,
  input: RowInput<R>,
  options: CreateOptions,
): Promise<Row<R> | undefined>;
export function create(ctx: Ctx, served: AnyServed, input: AnyRow, options: CreateOptions = {}): Promise<AnyRow | undefined> {
  return createRow(ctx, served, input, options);
}

/** Creates a row from what a client sent. */
export function createFromBody<R extends Resource>(ctx: Ctx, served: Served<R>, body: unknown, options?: CreateOptions): Promise<Row<R>>;
export async function createFromBody(ctx: Ctx, served: AnyServed, body: unknown, options: CreateOptions = {}): Promise<AnyRow> {
  const row = await createRow(ctx, served, body, options);
  if (!row) throw new Error('An insert answers its row.');
  return row;
}

async function createRow(ctx: Ctx, served: AnyServed, body: unknown, options: CreateOptions): Promise<AnyRow | undefined> {
  const { resource } = served;
  requireScope(ctx, resource.area, 'create');
  const input = parseInput(resource, body, null);
  requireTenantInScope(ctx, served, input);
  return inTransaction(ctx, async (ctx) => {
    const draft: RowChange = { verb: 'create', before: null, after: input, changed: namesWithValue(input) };
    const filled = { ...input, ...(await served.fill?.(ctx, draft)) };
    const change: RowChange = { ...draft, after: filled, changed: namesWithValue(filled) };
    requireTenantInScope(ctx, served, filled);
    const missing = await checkReferences(ctx, served, change);
    if (missing.length > 0) throw validationFailed(missing);
    if (!mayWrite(ctx, served, 'create', filled))
      throw forbidden(`You do not have the permission ${permission(resource.area, 'create')} there.`);
    const errors = (await served.check?.(ctx, change)) ?? [];
    if (errors.length > 0) throw validationFailed(errors);
    const row = await insert(ctx, served, change, options);
    if (row && !endsWithRow(served, change)) await served.after?.(ctx, { ...change, after: row });
    return row;
  });
}

function namesWithValue(row: AnyRow): string[] {
  return Object.keys(row).filter((name) => row[name] !== null && row[name] !== undefined);
}

function requireTenantInScope(ctx: Ctx, served: AnyServed, row: AnyRow): void {
  const { scope, fields, key } = served.resource;
  if (scope.kind === 'installation' || scope.field === key) return;
  const tenantId = row[scope.field];
  if (tenantId === null || tenantId === undefined || isTenantInScope(ctx, tenantId)) return;
  throw validationFailed([{ target: scope.field, message: `${fields[scope.field]?.label ?? 'Tenant'} was not found.` }]);
}

async function insert(ctx: Ctx, served: AnyServed, change: RowChange, options: CreateOptions): Promise<AnyRow | undefined> {
  const { resource, table } = served;
  const { softDelete, scope } = resource;
  const row = change.after;
  const names = Object.keys(row).filter((name) => row[name] !== undefined);
  const extra = Object.entries(options.columns ?? {});
  const columns = [...names.map((name) => columnName(name)), ...extra.map(([name]) => name)];
  const values = [
    ...names.map((name) => {
      const field = resource.fields[name];
      if (!field) throw new ApiError('InternalError', `${resource.name} has no field ${name}.`);
      return sql`${toColumn(field, row[name])}`;
    }),
    ...extra.map(([, value]) => sql`${value}`),
  ];
  if (options.revives && softDelete) {
    const key = columnName(resource.key);
    const isTenant =
      scope.kind === 'installation' ? sql`true` : sql`${sql.ref(columnName(scope.field))} is not distinct from ${row[scope.field]}::uuid`;
    const sets = columns.flatMap((name, n) => (name === key ? [] : [sql`${sql.ref(name)} = ${values[n] ?? sql`null`}`]));
    const revive = sql`update ${sql.table(table)} set ${sql.join(sets)}, ${sql.ref(columnName(softDelete))} = false, version = version + 1
      where ${sql.ref(key)} = ${options.columns?.[key]} and ${sql.ref(columnName(softDelete))} and ${isTenant} returning *`;
    return writeRecorded(ctx, served, 'create', revive, null, await restOf(ctx, served, change));
  }
  const conflict = options.unlessExists ? sql` on conflict do nothing` : sql``;
  const write = sql`insert into ${sql.table(table)} (${sql.join(columns.map((c) => sql.ref(c)))}) values (${sql.join(values)})${conflict} returning *`;
  return writeRecorded(ctx, served, 'create', write, null, await restOf(ctx, served, change));
}
