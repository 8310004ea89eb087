/** Which entities are in maintenance: while a maintenance rule's time window holds and its conditions select them. */
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { evaluate } from '@cloudfit/contract/rules/evaluate.ts';
import type { RuleEvent } from '@cloudfit/contract/rules/facts.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { IngestRule } from './compiled-rules.ts';
import type { Entity } from './entities.ts';

const noMessage = {};

// A rule that fails holds nothing back: an alert too many is better than one that is lost.
function holds(rule: CompiledRule, event: RuleEvent): boolean {
  try {
    return evaluate(rule, event, undefined).outcome === 'hit';
  } catch {
    return false;
  }
}

/** Whether a maintenance rule holds for the entity at that time. */
export function maintenanceAt(rules: RuleIndex<IngestRule>, entity: Entity, at: number): boolean {
  if (rules.size === 0) return false;
  const event = { entity, packet: { timestamp: at, message: noMessage } };
  return rules.candidates(event).some((rule) => holds(rule, event));
}
