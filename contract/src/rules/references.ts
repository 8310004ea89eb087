/** The rules that a rule names in its conditions, and circular references. */
import { operandOf } from './operands.ts';
import type { Condition } from './schema.ts';

/** The properties of a rule that the check for circular references needs. */
export interface NamingRule {
  ruleId: string;
  name: string;
  conditions: readonly Condition[];
  recoveryConditions?: readonly Condition[] | null | undefined;
}

const conditionsOf = ({ conditions, recoveryConditions }: Pick<NamingRule, 'conditions' | 'recoveryConditions'>): readonly Condition[] =>
  recoveryConditions ? [...conditions, ...recoveryConditions] : conditions;

/** Whether a condition depends on the state of another rule. */
export function readsStates(rule: Pick<NamingRule, 'conditions' | 'recoveryConditions'>): boolean {
  return conditionsOf(rule).some(({ LeftOperand }) => operandOf(LeftOperand)?.place !== undefined);
}

/** Ids of the rules to which the conditions refer. */
export function namedRules(rule: Pick<NamingRule, 'conditions' | 'recoveryConditions'>): Set<string> {
  const ids = conditionsOf(rule).flatMap(({ LeftOperand, RightOperand }) =>
    operandOf(LeftOperand)?.lookup === 'rules' && RightOperand ? [RightOperand.toLowerCase()] : [],
  );
  return new Set(ids);
}

/**
 * Returns the names of the rules along the shortest circular reference through this rule that contains a rule about packets;
 * undefined without such a circle.
 */
export function circleOf(rule: NamingRule, others: readonly NamingRule[]): string[] | undefined {
  const byId = new Map(others.map((item) => [item.ruleId, item]));
  byId.set(rule.ruleId, rule);
  const visited = new Set<string>();
  let paths: NamingRule[][] = [[rule]];
  while (paths.length > 0) {
    const next: NamingRule[][] = [];
    for (const path of paths) {
      const last = path.at(-1) as NamingRule;
      for (const id of namedRules(last)) {
        if (id === rule.ruleId) {
          if (path.some(readsStates)) return [...path, rule].map(({ name }) => name);
          continue;
        }
        const named = byId.get(id);
        if (!named) continue;
        // Two paths to the same rule count as different if only one of them contains a rule about packets: only that path may
        // close a circle.
        const way = `${id} ${[...path, named].some(readsStates)}`;
        if (visited.has(way)) continue;
        visited.add(way);
        next.push([...path, named]);
      }
    }
    paths = next;
  }
  return undefined;
}
