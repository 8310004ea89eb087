/** Creates the first rule of a new installation, once. If people delete the rule, it stays deleted. */
import { starterRule } from '@cloudfit/contract/rules/starter.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { create } from '../../resources/create.ts';
import { servedRules } from './rules.served.ts';

export async function ensureStarterRule(ctx: Ctx, home: { tenantId: string; subscriptionId: string }): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const first = await ctx.db.query({
      text: "insert into setting (name, value) values ('starterRule', 'true') on conflict do nothing returning 1",
    });
    if (first.length > 0) await create(ctx, servedRules, { ...starterRule, ...home });
  });
}
