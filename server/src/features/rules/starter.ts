/** Creates the first rules of an installation, each once. If people delete a rule, it stays deleted. */
import { checkRules, starterRule } from '@cloudfit/contract/rules/starter.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { create } from '../../resources/create.ts';
import { servedRules } from './rules.served.ts';

async function isFirst(ctx: Ctx, setting: string): Promise<boolean> {
  const text = "insert into setting (name, value) values ($1, 'true') on conflict do nothing returning 1";
  return (await ctx.db.query({ text, values: [setting] })).length > 0;
}

/** An installation that is older than the rules about checks gets them disabled, so that an upgrade alerts nobody. */
export async function ensureStarterRules(ctx: Ctx, home: { tenantId: string; subscriptionId: string }): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const isNew = await isFirst(ctx, 'starterRule');
    if (isNew) await create(ctx, servedRules, { ...starterRule, ...home });
    if (await isFirst(ctx, 'checkRules'))
      for (const rule of checkRules) await create(ctx, servedRules, { ...rule, ...home, enabled: isNew });
  });
}
