/** Changes a row that the caller may see and edit; only changed fields are written. */
import { sql } from '../db/sql.ts';
import { forbidden, validationFailed } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import type { FieldName, Resource, Row, RowInput } from '@cloudfit/contract/resource.ts';
import { inTransaction, type Ctx } from '../context/ctx.ts';
import { columnName } from '../db/column-name.ts';
import { toColumn } from '../query/columns.ts';
import { get, requireMatch } from './get.ts';
import { parseInput, same } from './input.ts';
import { restOf, writeRecorded } from './record.ts';
import { checkReferences, isTenantInScope, mayWrite } from './references.ts';
import { endsWithRow, type AnyRow, type AnyServed, type RowChange, type Served } from './served.ts';

/** The fields to set, or a function that computes them from the locked row. */
export type RowUpdate<R extends Resource> = RowInput<R> | ((before: Row<R>) => RowInput<R>);

export type AnyEdit = RowUpdate<Resource>;

/** Changes a row. `ifMatch` is the header `If-Match`: throws 412 if the locked row has another version. */
export function update<R extends Resource>(
  ctx: Ctx,
  served: Served<R>,
  key: string | number,
  edit: RowUpdate<R>,
  ifMatch?: string,
): Promise<Row<R>>;
export async function update(ctx: Ctx, served: AnyServed, key: string | number, edit: AnyEdit, ifMatch?: string): Promise<AnyRow> {
  return inTransaction(ctx, async (ctx) => {
    const before = await get(ctx, served, key, { lock: 'edit' });
    return applyChange(ctx, served, await prepareUpdate(ctx, served, before, edit, ifMatch));
  });
}

/** Returns the change that the edit makes to a locked row. Checks permissions, input and references; writes nothing. */
export function prepareUpdate<R extends Resource>(
  ctx: Ctx,
  served: Served<R>,
  before: Row<R>,
  edit: AnyEdit,
  ifMatch?: string,
): Promise<RowChange<Row<R>>>;
export async function prepareUpdate(ctx: Ctx, served: AnyServed, before: AnyRow, edit: AnyEdit, ifMatch?: string): Promise<RowChange> {
  const { resource } = served;
  if (!mayWrite(ctx, served, 'edit', before)) throw forbidden(`You do not have the permission ${permission(resource.area, 'edit')} there.`);
  requireMatch(before, ifMatch);
  const input = parseInput(resource, inputOf(edit, before), before);
  const draft = changeOf(before, input);
  if (draft.changed.length === 0) return draft;
  const filled = { ...input, ...(await served.fill?.(ctx, draft)) };
  const change = changeOf(before, filled);
  requireNewTenantInScope(ctx, served, change);
  const errors = [...(await checkReferences(ctx, served, change)), ...((await served.check?.(ctx, change)) ?? [])];
  if (errors.length > 0) throw validationFailed(errors);
  return change;
}

/** Writes a prepared change with its record, and runs `after`; returns the row after the write. */
export async function applyChange(ctx: Ctx, served: AnyServed, change: RowChange): Promise<AnyRow> {
  const before = change.before ?? {};
  if (change.changed.length === 0) return before;
  const row = await save(ctx, served, before[served.resource.key] as string | number, change);
  if (!endsWithRow(served, change)) await served.after?.(ctx, { ...change, after: row });
  return row;
}

/**
 * Sets fields that clients may not set, on a row that the caller may edit; `edit` computes them from the locked row.
 * References and `check` are not checked here; the calling code must do so.
 */
export function setFields<R extends Resource>(ctx: Ctx, served: Served<R>, key: string | number, edit: RowUpdate<R>): Promise<Row<R>>;
export async function setFields(ctx: Ctx, served: AnyServed, key: string | number, edit: AnyEdit): Promise<AnyRow> {
  return inTransaction(ctx, async (ctx) => {
    const before = await get(ctx, served, key, { lock: 'edit' });
    if (!mayWrite(ctx, served, 'edit', before))
      throw forbidden(`You do not have the permission ${permission(served.resource.area, 'edit')} there.`);
    const change = changeOf(before, inputOf(edit, before));
    return applyChange(ctx, served, change);
  });
}

/** Fields in which two states of a row differ. */
export function changedFields<R extends Resource>(resource: R, before: Row<R>, after: Row<R>): FieldName<R>[] {
  const names: FieldName<R>[] = [];
  for (const name in resource.fields) if (!same(before[name], after[name])) names.push(name);
  return names;
}

function inputOf(edit: AnyEdit, before: AnyRow): AnyRow {
  return typeof edit === 'function' ? edit(before) : edit;
}

function changeOf(before: AnyRow, input: AnyRow): RowChange {
  const changed = Object.keys(input).filter((name) => !same(before[name], input[name]));
  return { verb: 'update', before, after: { ...before, ...input }, changed };
}

/** Throws if the row moves to a tenant in which the caller does not have the permission. */
function requireNewTenantInScope(ctx: Ctx, served: AnyServed, change: RowChange): void {
  const { scope, fields } = served.resource;
  if (scope.kind === 'installation' || !change.changed.includes(scope.field)) return;
  const tenantId = change.after[scope.field];
  if (tenantId !== null && !isTenantInScope(ctx, tenantId))
    throw validationFailed([{ target: scope.field, message: `${fields[scope.field]?.label ?? 'Tenant'} was not found.` }]);
  if (!mayWrite(ctx, served, 'edit', change.after))
    throw forbidden(`You do not have the permission ${permission(served.resource.area, 'edit')} there.`);
}

async function save(ctx: Ctx, served: AnyServed, key: string | number, change: RowChange): Promise<AnyRow> {
  const { resource, table } = served;
  const sets = change.changed.map((name) => {
    const field = resource.fields[name];
    if (!field) throw new Error(`${resource.name} has no field ${name}.`);
    return sql`${sql.ref(columnName(name))} = ${toColumn(field, change.after[name])}`;
  });
  if ('modified' in resource.fields && !change.changed.includes('modified')) sets.push(sql`modified = now()`);
  const keyColumn = sql.ref(columnName(resource.key));
  const write = sql`update ${sql.table(table)} set ${sql.join(sets)}, version = version + 1 where ${keyColumn} = ${key} returning *`;
  const row = await writeRecorded(ctx, served, 'update', write, change.before, await restOf(ctx, served, change));
  // The row is locked, so only row-level security can have hidden it.
  if (!row) throw forbidden();
  return row;
}
