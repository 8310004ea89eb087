/** What single tenants have otherwise than a rule of many. */
import { ruleExceptions } from '@cloudfit/contract/resources/rule-exceptions.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { constantsOf, withOwnValues } from '@cloudfit/contract/rules/own-values.ts';
import { validateRule } from '@cloudfit/contract/rules/validate.ts';
import type { Condition, TimeConditions } from '@cloudfit/contract/rules/schema.ts';
import { actorName, type Ctx } from '../../context/ctx.ts';
import { notify } from '../../db/notify.ts';
import { remove } from '../../resources/remove.ts';
import { serve, type FieldError } from '../../resources/served.ts';

interface RuleOfMany {
  isFor: boolean;
  name: string;
  ruleTypeId: number;
  conditions: Condition[];
  timeConditions: TimeConditions | null;
}

async function ruleOfMany(ctx: Ctx, ruleId: string, tenantId: string): Promise<RuleOfMany | undefined> {
  const [row] = await ctx.db.query<RuleOfMany>({
    name: 'rule-exception-rule',
    // The lock lasts until the exception is written, so that the rule is not deleted meanwhile.
    text: `select coalesce(tenant_id is null and rule_is_for(tenant_id, tenant_group_id, $2), false) as "isFor", name, rule_type_id as "ruleTypeId", conditions,
  time_conditions as "timeConditions" from rule where rule_id = $1 for key share`,
    values: [ruleId, tenantId],
  });
  return row;
}

async function problems(
  ctx: Ctx,
  { ruleId, tenantId, isOff, ownValues, matchLifetime }: Row<typeof ruleExceptions>,
): Promise<FieldError[]> {
  const rule = await ruleOfMany(ctx, ruleId, tenantId);
  if (!rule?.isFor)
    return [{ target: 'ruleId', message: 'Only rules of several tenants have exceptions, at one of these. Change the rule itself.' }];
  const keys = new Set(constantsOf(rule.conditions).map(({ key }) => key));
  const unknown = Object.keys(ownValues ?? {}).find((key) => !keys.has(key));
  if (unknown !== undefined)
    return [{ target: 'ownValues', message: `The rule has no constant ${unknown}. It has ${[...keys].join(', ') || 'none'}.` }];
  if (!isOff && !matchLifetime && Object.keys(ownValues ?? {}).length === 0)
    return [{ target: 'ownValues', message: 'Say what is otherwise here: a value, the lifetime, or that the rule does not hold.' }];
  const conditions = withOwnValues(rule.conditions, ownValues);
  return validateRule({ ...rule, conditions, matchLifetime: matchLifetime ?? '00:05:00' }).map(({ target, message }) => ({
    target: target === 'matchLifetime' ? 'matchLifetime' : 'ownValues',
    message,
  }));
}

export const servedRuleExceptions = serve(ruleExceptions, 'rule_exception', {
  fill: (ctx, { verb }) => ({ modifiedBy: actorName(ctx), ...(verb === 'create' ? { createdBy: actorName(ctx) } : {}) }),
  check: (ctx, { verb, after }) => (verb === 'delete' ? [] : problems(ctx, after)),
  after: (ctx, { after }) => notify(ctx.db, 'rules', [after.ruleId]),
});

/** Removes the exceptions of a rule that is deleted, or is of one tenant from now on. */
export async function removeExceptions(ctx: Ctx, ruleId: string): Promise<void> {
  const rows = await ctx.db.query<{ id: string }>({
    text: 'select rule_exception_id as id from rule_exception where rule_id = $1 order by 1',
    values: [ruleId],
  });
  for (const { id } of rows) await remove(ctx, servedRuleExceptions, id);
}
