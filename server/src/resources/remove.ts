/** Deletes a row, or marks it as deleted if the resource has a `softDelete` field, because history refers to such rows. */
import { sql } from '../db/sql.ts';
import { forbidden, validationFailed } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { inTransaction, type Ctx } from '../context/ctx.ts';
import { columnName } from '../db/column-name.ts';
import { get, requireMatch } from './get.ts';
import { restOf, writeRecorded } from './record.ts';
import { mayWrite } from './references.ts';
import { endsWithRow, type AnyServed, type RowChange } from './served.ts';

/** `ifMatch` has the same meaning as in `update`. */
export async function remove(ctx: Ctx, served: AnyServed, key: string | number, ifMatch?: string): Promise<void> {
  const { resource, table } = served;
  await inTransaction(ctx, async (ctx) => {
    const before = await get(ctx, served, key, { lock: 'remove' });
    if (!mayWrite(ctx, served, 'delete', before))
      throw forbidden(`You do not have the permission ${permission(resource.area, 'delete')} there.`);
    requireMatch(before, ifMatch);
    const change: RowChange = { verb: 'delete', before, after: before, changed: [] };
    const errors = (await served.check?.(ctx, change)) ?? [];
    if (errors.length > 0) throw validationFailed(errors);
    const keyColumn = sql.ref(columnName(resource.key));
    const is = sql`${keyColumn} = ${before[resource.key]} returning *`;
    const write = resource.softDelete
      ? sql`update ${sql.table(table)} set ${sql.ref(columnName(resource.softDelete))} = true where ${is}`
      : sql`delete from ${sql.table(table)} where ${is}`;
    await writeRecorded(ctx, served, 'delete', write, before, await restOf(ctx, served, change));
    if (!endsWithRow(served, change)) await served.after?.(ctx, change);
  });
}
