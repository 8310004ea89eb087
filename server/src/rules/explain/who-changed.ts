/** Reads who disabled or deleted rules, from the audit. */
import type { Explanation } from '@cloudfit/contract/actions/explain.ts';
import type { Ctx } from '../../context/ctx.ts';

type RuleEnd = NonNullable<Explanation['disabled']>;

const changes = `select distinct on (entity_id) entity_id as "ruleId", actor_name as by, at from audit
where entity = 'rules' and entity_id = any($1::text[]) and at <= $2::timestamptz
  and (verb = 'delete' or verb = 'update' and (before ->> 'enabled')::boolean and not (after ->> 'enabled')::boolean)
order by entity_id, audit_id desc`;

/** Returns who last disabled or deleted each rule up to `at`, and when. */
export async function whoDisabled(ctx: Ctx, ruleIds: readonly string[], at: string): Promise<ReadonlyMap<string, RuleEnd>> {
  if (ruleIds.length === 0) return new Map();
  const rows = await ctx.db.query<RuleEnd & { ruleId: string }>({ name: 'explain-disabled', text: changes, values: [ruleIds, at] });
  return new Map(rows.map(({ ruleId, ...change }) => [ruleId, change]));
}
