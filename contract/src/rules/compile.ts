/** Turns a stored rule into what the evaluator runs: everything parsed once, broken rules refused. */
import { RuleError } from './errors.ts';
import { keysOfEquals, operatorId, operatorOf, type Operator } from './operators.ts';
import { operandOf, type Operand, type ReadingSource } from './operands.ts';
import { digest, patternOf, type Pattern } from './patterns.ts';
import { predicateOf, type Parts, type Predicate } from './predicate.ts';
import type { Condition, TimeConditions } from './schema.ts';
import { compileTimeWindow } from './time-window.ts';

/** What of a stored rule the evaluation needs; a row of the rules table fits. */
export interface RuleDefinition {
  ruleId: string;
  name: string;
  ruleTypeId: number;
  tenantId: string;
  subscriptionId?: string | null | undefined;
  conditions: readonly Condition[];
  timeConditions?: TimeConditions | null | undefined;
}

export interface CompiledCondition extends Parts {
  /** Place in the rule's list. */
  index: number;
  source: Condition;
  operand: Operand;
  operator: Operator;
  holds: Predicate;
  /** Present when the pattern remembers something. */
  pattern: Pattern | undefined;
  /** Where its memory is kept in the rule's state. A changed condition has another key. */
  key: string;
}

/** Conditions joined by And. Gates come first: while one fails, the group is not about this entity and remembers nothing. */
export interface CompiledGroup {
  gates: readonly CompiledCondition[];
  withMemory: readonly CompiledCondition[];
  plain: readonly CompiledCondition[];
  selectors: GroupSelectors;
}

/** What an event must have for a group to hold or to remember anything; an index finds rules by it. */
export interface GroupSelectors {
  /** Every one of these operands must have one of the keys (`keyOf` of the value). */
  entity: readonly { operand: Operand; keys: readonly string[] }[];
  /** At least one of these must be carried by the packet; null when any packet concerns the group. */
  readings: readonly Reading[] | null;
}

export interface Reading {
  source: ReadingSource;
  /** Name of the metric, state, ...; empty for `Value`. */
  field: string;
}

export interface CompiledRule<R extends RuleDefinition = RuleDefinition> {
  rule: R;
  ruleId: string;
  tenantId: string;
  subscriptionId: string | null;
  groups: readonly CompiledGroup[];
  /** In the order of the rule. */
  conditions: readonly CompiledCondition[];
  /** Per group its predicates, gates first; undefined when a condition has memory. */
  resting: readonly (readonly Predicate[])[] | undefined;
  inTimeWindow: ((at: number) => boolean) | undefined;
}

const readsNothing = new Set<number>([operatorId.isEmpty, operatorId.isNotEmpty]);

function compileCondition(source: Condition, index: number, rule: RuleDefinition): CompiledCondition {
  const operand = operandOf(source.LeftOperand);
  if (!operand) throw new RuleError(`The left operand ${source.LeftOperand} is not known.`);
  if (!operand.read || !operand.ruleTypes.includes(rule.ruleTypeId))
    throw new RuleError(`${operand.name} cannot be used in a rule of this type.`);
  const operator = operatorOf(source.Operator);
  if (!operator) throw new RuleError(`The operator ${source.Operator} is not known.`);
  if (!operand.operators.includes(operator.id)) throw new RuleError(`${operator.name} does not make sense for ${operand.name}.`);
  const field = source.LeftOperandFieldName ?? '';
  if (operand.needsFieldName && field === '') throw new RuleError(`${operand.name} needs a field name.`);
  const right = source.RightOperand ?? '';
  if (operator.right !== 'none' && right === '') throw new RuleError('Please enter a value.');
  const pattern = source.OccurrencePattern;
  const parts = {
    read: operand.read,
    field,
    test: operator.test(right),
    needsReading: operand.reading !== undefined && !readsNothing.has(operator.id),
    gapMs: pattern?.Kind === 'NotSeenFor' ? pattern.Seconds * 1_000 : 0,
  };
  return {
    index,
    source,
    operand,
    operator,
    ...parts,
    holds: predicateOf(parts),
    pattern: patternOf(pattern),
    key: digest(JSON.stringify([operand.id, field, operator.id, right, pattern ?? null])),
  };
}

/** And binds tighter than Or; the first condition's own type is ignored. */
function groupsOf(conditions: readonly CompiledCondition[]): CompiledCondition[][] {
  const groups: CompiledCondition[][] = [];
  for (const condition of conditions) {
    const last = groups.at(-1);
    if (last && condition.source.Type === 'And') last.push(condition);
    else groups.push([condition]);
  }
  return groups;
}

/** A condition with a memory of its own is never a gate. */
function isGate(condition: CompiledCondition): boolean {
  return condition.operand.selects === true && !condition.pattern && condition.gapMs === 0;
}

function readingOf(condition: CompiledCondition): Reading[] {
  return condition.needsReading && condition.operand.reading ? [{ source: condition.operand.reading, field: condition.field }] : [];
}

function compileGroup(all: readonly CompiledCondition[]): CompiledGroup {
  const gates = all.filter(isGate);
  const withMemory = all.filter((condition) => condition.pattern);
  const plain = all.filter((condition) => !condition.pattern && !isGate(condition));
  const entity = gates
    .filter((gate) => gate.operator.id === operatorId.equals)
    .map((gate) => ({ operand: gate.operand, keys: keysOfEquals(gate.source.RightOperand ?? '') }));
  // With memory, a packet concerns the group when it moves any memory; without, when the first reading is there.
  const readings =
    withMemory.length > 0
      ? withMemory.every((condition) => condition.needsReading)
        ? withMemory.flatMap(readingOf)
        : null
      : plain.flatMap(readingOf).slice(0, 1);
  return { gates, withMemory, plain, selectors: { entity, readings: readings?.length ? readings : null } };
}

/** Equal conditions get keys of their own, or each would count the other's packets. */
function withOwnKeys(conditions: readonly CompiledCondition[]): CompiledCondition[] {
  const seen = new Map<string, number>();
  return conditions.map((condition) => {
    const count = (seen.get(condition.key) ?? 0) + 1;
    seen.set(condition.key, count);
    return count === 1 ? condition : { ...condition, key: `${condition.key}.${count}` };
  });
}

/** Throws `RuleError` when the rule cannot be evaluated; its message names the condition. */
export function compileRule<R extends RuleDefinition>(rule: R): CompiledRule<R> {
  if (rule.conditions.length === 0) throw new RuleError('Condtions are required for rules.');
  const conditions = withOwnKeys(
    rule.conditions.map((condition, index) => {
      try {
        return compileCondition(condition, index, rule);
      } catch (error) {
        throw error instanceof RuleError ? new RuleError(`Condition ${index + 1}: ${error.message}`) : error;
      }
    }),
  );
  const groups = groupsOf(conditions).map(compileGroup);
  return {
    rule,
    ruleId: rule.ruleId,
    tenantId: rule.tenantId,
    subscriptionId: rule.subscriptionId ?? null,
    groups,
    conditions,
    resting: conditions.some((condition) => condition.pattern)
      ? undefined
      : // Readings first: the index has found the rule by its gates, so they nearly always hold.
        groups.map(({ gates, plain }) => [...plain, ...gates].map((condition) => condition.holds)),
    inTimeWindow: rule.timeConditions ? compileTimeWindow(rule.timeConditions) : undefined,
  };
}
