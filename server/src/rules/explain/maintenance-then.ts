/** Finds the maintenance rules, in their current version, that hold for an entity at a time, and when they end. */
import type { Explanation } from '@cloudfit/contract/actions/explain.ts';
import { compileRule, ruleTypeId, type CompiledRule, type RuleDefinition } from '@cloudfit/contract/rules/compile.ts';
import { evaluate } from '@cloudfit/contract/rules/evaluate.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Entity } from '../entities.ts';
import { iso } from '../history/past-packets.ts';

/** Whether the rule selects the entity, whatever the time. */
function selects(rule: CompiledRule, entity: Entity, at: number): boolean {
  try {
    const event = { entity, packet: { timestamp: at, message: {} } };
    return evaluate({ ...rule, inTimeWindow: undefined }, event, undefined).outcome === 'hit';
  } catch {
    return false;
  }
}

function compiled(rule: RuleDefinition): CompiledRule[] {
  try {
    return [compileRule(rule)];
  } catch {
    return [];
  }
}

const minuteMs = 60_000;
const furthestMinutes = 31 * 24 * 60;

/** The first whole minute after `at` at which none of the windows holds; time limitations begin and end on whole minutes. */
export function endOf(windows: readonly (((at: number) => boolean) | undefined)[], at: number): number | undefined {
  if (windows.some((holds) => holds === undefined)) return undefined;
  const first = Math.floor(at / minuteMs) * minuteMs;
  for (let i = 1; i <= furthestMinutes; i += 1) {
    const moment = first + i * minuteMs;
    if (!windows.some((holds) => holds?.(moment))) return moment;
  }
  return undefined;
}

export async function maintenanceThen(ctx: Ctx, entity: Entity, at: number): Promise<Explanation['maintenance']> {
  const rules = await ctx.db.query<Omit<RuleDefinition, 'since'>>({
    name: 'explain-maintenance',
    text: `select rule_id as "ruleId", name, rule_type_id as "ruleTypeId", tenant_id as "tenantId", subscription_id as "subscriptionId", conditions, time_conditions as "timeConditions"
from rule where tenant_id = $1 and enabled and rule_type_id = ${ruleTypeId.maintenance} order by name, rule_id`,
    values: [entity.tenantId],
  });
  const selecting = rules.flatMap(compiled).filter((rule) => selects(rule, entity, at));
  const holding = selecting.filter((rule) => rule.inTimeWindow?.(at) ?? true);
  const end =
    holding.length > 0
      ? endOf(
          selecting.map((rule) => rule.inTimeWindow),
          at,
        )
      : undefined;
  return {
    inMaintenance: holding.length > 0,
    rules: holding.map(({ ruleId, rule }) => ({ ruleId, name: rule.name })),
    until: end === undefined ? null : iso(end),
  };
}
