/**
 * Rules that refer to other rules. A rule about packets may not depend on itself through other rules, and a rule whose matches
 * it reads cannot be deleted.
 */
import { circleOf, namedRules, readsStates, type NamingRule } from '@cloudfit/contract/rules/references.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { FieldError } from '../../resources/served.ts';

const naming = [80, 83, 84, 85, 86].map((id) => `'[{"LeftOperand": ${id}}]'`);

/**
 * Returns the rules of a tenant that refer to other rules; without a tenant, those of many tenants. Rules of many tenants refer only
 * to each other, so a circle is among these or among the rules of a tenant.
 */
function namingRules(ctx: Ctx, tenantId: string | null): Promise<NamingRule[]> {
  return ctx.db.query<NamingRule>({
    name: 'rules-that-name-rules',
    text: `select rule_id as "ruleId", name, conditions, recovery_conditions as "recoveryConditions" from rule
where tenant_id is not distinct from $1 and (conditions @> any(array[${naming.join(', ')}]::jsonb[]) or recovery_conditions @> any(array[${naming.join(', ')}]::jsonb[]))`,
    values: [tenantId],
  });
}

/** Returns the rules of any tenant that refer to other rules: these may read the matches of a rule of many tenants. */
function allNamingRules(ctx: Ctx): Promise<NamingRule[]> {
  return ctx.db.query<NamingRule>({
    text: `select rule_id as "ruleId", name, conditions, recovery_conditions as "recoveryConditions" from rule
where conditions @> any(array[${naming.join(', ')}]::jsonb[]) or recovery_conditions @> any(array[${naming.join(', ')}]::jsonb[])`,
  });
}

/**
 * Returns an error if the rule closes a circle of references. Writes of references in a tenant are serialised, so that together
 * they cannot close one.
 */
export async function circleProblems(ctx: Ctx, rule: NamingRule & { tenantId: string | null }): Promise<FieldError[]> {
  if (namedRules(rule).size === 0) return [];
  await ctx.db.query({
    name: 'rule-circle-lock',
    text: 'select pg_advisory_xact_lock(hashtextextended($1, 215))',
    values: [rule.tenantId ?? 'rules of many tenants'],
  });
  const others = (await namingRules(ctx, rule.tenantId)).filter(({ ruleId }) => ruleId !== rule.ruleId);
  const circle = circleOf(rule, others);
  return circle ? [{ target: 'conditions', message: `These rules would wait for each other: ${circle.join(' → ')}.` }] : [];
}

const shownAtMost = 3;

/** Returns an error if rules about packets read the matches of this rule, so that it cannot be deleted. */
export async function dependentProblems(
  ctx: Ctx,
  { ruleId, tenantId }: { ruleId: string; tenantId: string | null },
): Promise<FieldError[]> {
  const names = (await (tenantId === null ? allNamingRules(ctx) : namingRules(ctx, tenantId)))
    .filter((namingRule) => namingRule.ruleId !== ruleId && readsStates(namingRule) && namedRules(namingRule).has(ruleId))
    .map(({ name }) => name)
    .toSorted();
  if (names.length === 0) return [];
  const more = names.length > shownAtMost ? ` and ${names.length - shownAtMost} more` : '';
  return [
    {
      target: 'ruleId',
      message: `${names.slice(0, shownAtMost).join(', ')}${more} ${names.length === 1 ? 'looks' : 'look'} at the matches of this rule: change ${names.length === 1 ? 'that rule' : 'those rules'} first.`,
    },
  ];
}
