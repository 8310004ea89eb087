/** An entity is in maintenance while a maintenance rule's time window holds and its conditions select the entity. */
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { evaluate } from '@cloudfit/contract/rules/evaluate.ts';
import type { RuleEvent } from '@cloudfit/contract/rules/facts.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { IngestRule } from './compiled-rules.ts';
import type { Entity } from './entities.ts';
import type { RuleHit } from './evaluate-entity.ts';

const noMessage = {};

// A failing rule suppresses nothing, because an extra alert is better than a lost one.
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

/**
 * Whether the actions of a hit wait for the end of a maintenance: one that held at the hit's own time, or one that holds now, since
 * nobody is called in a maintenance for what happened before it.
 */
export function inMaintenance(rules: RuleIndex<IngestRule>, { entity, packet }: Pick<RuleHit, 'entity' | 'packet'>, now: number): boolean {
  return rules.size > 0 && (maintenanceAt(rules, entity, packet.timestamp) || maintenanceAt(rules, entity, now));
}
