/** Since when conditions count that need a whole window of observation, so that an edit of a rule keeps what it does not change. */
import { compileRule, type CompiledRule, type RuleDefinition } from '@cloudfit/contract/rules/compile.ts';
import type { WatchedSince } from '@cloudfit/contract/rules/condition-parts.ts';
import { RuleError } from '@cloudfit/contract/rules/errors.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';

/** A rule as it is stored. */
interface SavedRule extends Omit<RuleDefinition, 'since' | 'recovers' | 'watchedSince' | 'tenantId'> {
  tenantId: string | null;
  tenantGroupId?: string | null | undefined;
  enabled: boolean;
  recoveryConditions?: readonly Condition[] | null | undefined;
  watchedSince?: WatchedSince | null | undefined;
  modified?: string | null | undefined;
}

function compiled(rule: SavedRule, conditions: readonly Condition[] | null | undefined): CompiledRule | undefined {
  if (!conditions?.length) return undefined;
  try {
    return compileRule({ ...rule, tenantId: rule.tenantId ?? '', conditions, watchedSince: null });
  } catch (error) {
    // A rule that cannot be compiled is refused, or marked as failing, elsewhere.
    if (error instanceof RuleError) return undefined;
    throw error;
  }
}

/** Returns what decides which packets each of these conditions counts, besides the condition itself, by the key of its memory. */
function selections(rule: SavedRule): Map<string, string> {
  const { tenantId, tenantGroupId = null, subscriptionId, ruleTypeId } = rule;
  const place = tenantGroupId === null ? [tenantId] : [tenantId, tenantGroupId];
  const selected = new Map<string, string>();
  for (const version of [compiled(rule, rule.conditions), compiled(rule, rule.recoveryConditions)])
    for (const { gates, withMemory, plain } of version?.groups ?? [])
      for (const { key, wholeMs } of [...withMemory, ...plain]) {
        const by = gates.map(({ operand, operator, source }) => JSON.stringify([operand.id, operator.id, source.RightOperand])).sort();
        if (wholeMs > 0) selected.set(key, JSON.stringify([...place, subscriptionId ?? null, ruleTypeId, by]));
      }
  return selected;
}

/**
 * Returns since when each condition of a rule that needs a whole window counts, after a change at `now`; null if it has no such
 * condition. A condition keeps its time while neither it nor what selects its packets changes and the rule is enabled.
 */
export function watchedSince(before: SavedRule | null, after: SavedRule, now: string): WatchedSince | null {
  const selected = selections(after);
  if (selected.size === 0) return null;
  const earlier = before?.enabled ? selections(before) : new Map<string, string>();
  const times = [...selected].map(([key, by]) => {
    const since = before?.watchedSince?.[key] ?? before?.modified;
    return [key, earlier.get(key) === by && since ? since : now] as const;
  });
  return Object.fromEntries(times);
}
