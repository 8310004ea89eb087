/** When the licence ends: without a licence file, 60 days after the first start (domain, "Other decisions"). */
import type { Ctx } from '../../ctx.ts';

const trialDays = 60;

/** Remembers the first start; called once by main. */
export async function rememberFirstStart(ctx: Ctx): Promise<void> {
  await ctx.db.query({
    text: "insert into setting (name, value) values ('firstStart', to_jsonb($1::text)) on conflict do nothing",
    values: [ctx.now().toISOString()],
  });
}

let known: string | undefined;

export async function licenseExpiration(ctx: Ctx): Promise<string> {
  known ??= (await ctx.db.query<{ first: string }>({ text: 'select first_start() as first' }))[0]?.first;
  const first = known ? Date.parse(known) : ctx.now().getTime();
  return new Date(first + trialDays * 86_400_000).toISOString();
}
