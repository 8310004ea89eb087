/** Single steps of an evaluation, shared by the fast path and the trace. */
import type { CompiledCondition, CompiledRule } from './compile.ts';
import type { RuleEvent } from './facts.ts';
import type { Memory } from './patterns.ts';

/** What one rule remembers of one entity: JSON, by condition key; undefined when at rest. */
export type RuleState = Readonly<Record<string, Exclude<Memory, undefined>>>;

export type Outcome = 'hit' | 'miss';

/** A rule sees its own tenant and, when it names one, its own subscription only. */
export function inScope(rule: CompiledRule, event: RuleEvent): boolean {
  return rule.tenantId === event.entity.tenantId && (rule.subscriptionId === null || rule.subscriptionId === event.entity.subscriptionId);
}

/** Whether every condition holds; stops at the first that does not. */
export function allHold(conditions: readonly CompiledCondition[], event: RuleEvent): boolean {
  for (let i = 0; i < conditions.length; i += 1) {
    if (!(conditions[i] as CompiledCondition).holds(event)) return false;
  }
  return true;
}

/** The observation of a condition with memory: its memory afterwards and whether it is satisfied. */
export function observe(condition: CompiledCondition, event: RuleEvent, before: Memory): { after: Memory; satisfied: boolean } {
  const value = condition.read(event, condition.field);
  if (!condition.pattern || (value === undefined && condition.needsReading)) return { after: before, satisfied: false };
  const at = event.packet.timestamp;
  const held = condition.test(value);
  const after = condition.pattern.advance(before, held, value, at);
  return { after, satisfied: condition.pattern.satisfied(before, after, held, at) };
}
