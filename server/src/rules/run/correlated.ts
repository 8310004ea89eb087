/** Finds the rules whose matches Correlation rules read. A batch without such matches queues no evaluation. */
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { operandId } from '@cloudfit/contract/rules/operands.ts';
import { operatorId } from '@cloudfit/contract/rules/operators.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { IngestRule } from './ingest-rule.ts';

/** The ids of the rules by tenant; `any` if a group counts matches of all rules. */
type CorrelatedRuleIds = ReadonlyMap<string, 'any' | ReadonlySet<string>>;

/** The rules that a group names; undefined when it reads matches of any rule. */
function namedBy(group: CompiledRule['groups'][number]): string[] | undefined {
  const ruleConditions = [...group.plain, ...group.withMemory].filter(
    ({ operand, operator }) => operand.id === operandId.activeMatchOfRule && operator.id === operatorId.equals,
  );
  return ruleConditions.length > 0 ? ruleConditions.map(({ source }) => (source.RightOperand ?? '').toLowerCase()) : undefined;
}

function interestOf(rules: RuleIndex<IngestRule>): CorrelatedRuleIds {
  const interest = new Map<string, 'any' | Set<string>>();
  for (const rule of rules.all()) {
    for (const group of rule.groups) {
      const ruleIds = namedBy(group);
      const interestNow = interest.get(rule.tenantId);
      if (!ruleIds || interestNow === 'any') interest.set(rule.tenantId, 'any');
      else interest.set(rule.tenantId, new Set([...(interestNow ?? []), ...ruleIds]));
    }
  }
  return interest;
}

const interests = new WeakMap<RuleIndex<IngestRule>, CorrelatedRuleIds>();

/**
 * Returns whether Correlation rules read the matches of a rule. The rules that are read are computed once per change of the
 * rules.
 */
export function isCorrelatedBy(rules: RuleIndex<IngestRule>): (tenantId: string, ruleId: string) => boolean {
  if (rules.size === 0) return () => false;
  let interest = interests.get(rules);
  if (!interest) {
    interest = interestOf(rules);
    interests.set(rules, interest);
  }
  const interestNow = interest;
  return (tenantId, ruleId) => {
    const ruleIds = interestNow.get(tenantId);
    return ruleIds === 'any' || ruleIds?.has(ruleId) === true;
  };
}
