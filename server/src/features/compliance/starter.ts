/** Creates the first control set of a new installation, once. */
import { starterControlSet } from '@cloudfit/contract/compliance/starter.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { importControlSet } from './import.ts';

export async function ensureStarterControlSet(ctx: Ctx): Promise<void> {
  await inTransaction(ctx, async (inside) => {
    const first = await inside.db.query({
      text: "insert into setting (name, value) values ('starterControlSet', 'true') on conflict do nothing returning 1",
    });
    if (first.length > 0) await importControlSet(inside, starterControlSet);
  });
}
