/** Deletes a row, or marks it deleted where the record must keep it. */
import { sql } from 'kysely';
import { ApiError, forbidden, validationFailed } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { inTransaction, type Ctx } from '../ctx.ts';
import { columnName } from './column-name.ts';
import { compile } from './compile.ts';
import { get } from './get.ts';
import { recordParts } from './record.ts';
import { mayWrite } from './references.ts';
import type { Change, Served } from './served.ts';

export async function remove(ctx: Ctx, served: Served, key: string | number): Promise<void> {
  const { resource, table } = served;
  await inTransaction(ctx, async (ctx) => {
    const before = await get(ctx, served, key, { lock: true });
    if (!mayWrite(ctx, served, 'delete', before))
      throw forbidden(`You do not have the permission ${permission(resource.area, 'delete')} there.`);
    const change: Change = { verb: 'delete', before, after: before, changed: [] };
    const wrong = (await served.check?.(ctx, change)) ?? [];
    if (wrong.length > 0) throw validationFailed(wrong);
    const keyColumn = sql.ref(columnName(resource.key));
    const tenantId = resource.scope.kind === 'installation' ? null : (before[resource.scope.field] ?? null);
    const record = recordParts(ctx, {
      entity: resource.name,
      verb: 'delete',
      from: 'written',
      tenantId: sql`${tenantId}::uuid`,
      entityId: sql`${String(before[resource.key])}`,
      before: sql`jsonb_strip_nulls(${JSON.stringify(before)}::jsonb)`,
      after: sql`null::jsonb`,
    });
    const write = resource.softDelete
      ? sql`update ${sql.table(table)} set ${sql.ref(columnName(resource.softDelete))} = true where ${keyColumn} = ${before[resource.key]}`
      : sql`delete from ${sql.table(table)} where ${keyColumn} = ${before[resource.key]}`;
    await ctx.db
      .query(compile(sql`with written as (${write} returning 1), ${record} select count(*) from written`))
      .catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'Conflict')
          throw new ApiError('Conflict', `This ${resource.label.toLowerCase()} cannot be deleted while something else uses it.`);
        throw error;
      });
    await served.after?.(ctx, change);
  });
}
