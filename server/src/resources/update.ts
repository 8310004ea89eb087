/** Changes a row that the caller may see and edit; only what differs is written. */
import { sql } from 'kysely';
import { forbidden, validationFailed } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { inTransaction, type Ctx } from '../ctx.ts';
import { columnName } from './column-name.ts';
import { compile } from './compile.ts';
import { explainConstraint } from './constraint.ts';
import { get } from './get.ts';
import { parseInput, same, type Row } from './input.ts';
import { rowAsJson, selectList, toColumn } from './present.ts';
import { recordParts } from './record.ts';
import { checkReferences, mayWrite, tenantIsReachable } from './references.ts';
import type { Change, Served } from './served.ts';

/** What to set, decided from the locked row: a body as it came, or the outcome of a patch. */
export type Edit = (before: Row) => unknown;

/** `trusted` values are set by the server itself, past the declaration's `write` (an action's own effect). */
export async function update(ctx: Ctx, served: Served, key: string | number, edit: Edit, trusted: Row = {}): Promise<Row> {
  const { resource } = served;
  return inTransaction(ctx, async (ctx) => {
    const before = await get(ctx, served, key, { lock: true });
    if (!mayWrite(ctx, served, 'edit', before))
      throw forbidden(`You do not have the permission ${permission(resource.area, 'edit')} there.`);
    const input = { ...parseInput(resource, edit(before), before), ...trusted };
    const draft = changeOf(before, input);
    if (draft.changed.length === 0) return before;
    const filled = { ...input, ...(await served.fill?.(ctx, draft)) };
    const change = changeOf(before, filled);
    requireSameReach(ctx, served, change);
    const wrong = [...(await checkReferences(ctx, served, change)), ...((await served.check?.(ctx, change)) ?? [])];
    if (wrong.length > 0) throw validationFailed(wrong);
    const row = await write(ctx, served, key, change);
    await served.after?.(ctx, { ...change, after: row });
    return row;
  });
}

function changeOf(before: Row, input: Row): Change {
  const changed = Object.keys(input).filter((name) => !same(before[name], input[name]));
  return { verb: 'update', before, after: { ...before, ...input }, changed };
}

/** A row may move to another tenant only where the caller may edit there too. */
function requireSameReach(ctx: Ctx, served: Served, change: Change): void {
  const { scope, fields } = served.resource;
  if (scope.kind === 'installation' || !change.changed.includes(scope.field)) return;
  const tenantId = change.after[scope.field];
  if (tenantId !== null && !tenantIsReachable(ctx, tenantId))
    throw validationFailed([{ target: scope.field, message: `${fields[scope.field]?.label ?? 'Tenant'} was not found.` }]);
  if (!mayWrite(ctx, served, 'edit', change.after))
    throw forbidden(`You do not have the permission ${permission(served.resource.area, 'edit')} there.`);
}

async function write(ctx: Ctx, served: Served, key: string | number, change: Change): Promise<Row> {
  const { resource, table } = served;
  const sets = change.changed.map((name) => {
    const field = resource.fields[name];
    if (!field) throw new Error(`${resource.name} has no field ${name}.`);
    return sql`${sql.ref(columnName(name))} = ${toColumn(field, change.after[name])}`;
  });
  if ('modified' in resource.fields && !change.changed.includes('modified')) sets.push(sql`modified = now()`);
  const keyColumn = sql.ref(columnName(resource.key));
  const tenant = resource.scope.kind === 'installation' ? sql`null::uuid` : sql.ref(columnName(resource.scope.field));
  const record = recordParts(ctx, {
    entity: resource.name,
    verb: 'update',
    from: 'written',
    tenantId: tenant,
    entityId: sql`${keyColumn}::text`,
    before: sql`jsonb_strip_nulls(${JSON.stringify(change.before)}::jsonb)`,
    after: rowAsJson(resource, 'written'),
  });
  try {
    const [row] = await ctx.db.query(
      compile(sql`with written as (update ${sql.table(table)} set ${sql.join(sets)}, version = version + 1 where ${keyColumn} = ${key} returning *),
      ${record} select ${selectList(resource, 'written', { json: false })} from written`),
    );
    // The row is locked, so only the second wall (row-level security) can have hidden it.
    if (!row) throw forbidden();
    return row;
  } catch (error) {
    throw explainConstraint(served, error);
  }
}
