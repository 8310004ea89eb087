/** Finds the maintenance rules, in their current version, that hold for an entity at a time. */
import { compileRule, ruleTypeId, type RuleDefinition } from '@cloudfit/contract/rules/compile.ts';
import { evaluate } from '@cloudfit/contract/rules/evaluate.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Entity } from '../entities.ts';

function holds(rule: RuleDefinition, entity: Entity, at: number): boolean {
  try {
    return evaluate(compileRule(rule), { entity, packet: { timestamp: at, message: {} } }, undefined).outcome === 'hit';
  } catch {
    return false;
  }
}

export async function maintenanceRulesAt(ctx: Ctx, entity: Entity, at: number): Promise<{ ruleId: string; name: string }[]> {
  const rules = await ctx.db.query<Omit<RuleDefinition, 'since'>>({
    name: 'explain-maintenance',
    text: `select rule_id as "ruleId", name, rule_type_id as "ruleTypeId", tenant_id as "tenantId", subscription_id as "subscriptionId", conditions, time_conditions as "timeConditions"
from rule where tenant_id = $1 and enabled and rule_type_id = ${ruleTypeId.maintenance} order by name, rule_id`,
    values: [entity.tenantId],
  });
  return rules.filter((rule) => holds(rule, entity, at)).map(({ ruleId, name }) => ({ ruleId, name }));
}
