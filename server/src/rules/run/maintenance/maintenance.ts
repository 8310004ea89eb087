/**
 * Decides about maintenance. An entity is in maintenance while a Maintenance rule selects it within the time of the rule, or
 * while a maintenance window covers it.
 */
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { evaluate } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import type { RuleEvent } from '@cloudfit/contract/rules/facts.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { CompiledRules } from '../compiled-rules.ts';
import type { IngestRule } from '../ingest-rule.ts';
import type { Entity } from '../entity.ts';
import type { RuleHit } from '../evaluate-entity.ts';
import { inForce } from '../rollout.ts';
import { expects, type ExpectedRule, type WindowIndex } from './maintenance-windows.ts';

const noMessage = {};

// A failing rule suppresses nothing, because an extra alert is better than a lost one.
function holds(rule: CompiledRule, event: RuleEvent): boolean {
  try {
    return evaluate(rule, event, undefined).outcome === 'hit';
  } catch {
    return false;
  }
}

/** Whether a maintenance rule selects the entity, as of `at` but whatever the time limits of the rule. */
export function holdsAtAnyTime(rule: CompiledRule, entity: Entity, at: number): boolean {
  return holds({ ...rule, inTimeWindow: undefined }, { entity, packet: { timestamp: at, message: noMessage } });
}

/** The maintenance rules that hold for the entity at that time. */
export function holdingRules(rules: RuleIndex<IngestRule>, entity: Entity, at: number): CompiledRule<IngestRule>[] {
  if (rules.size === 0) return [];
  const event = { entity, packet: { timestamp: at, message: noMessage } };
  return rules.candidates(event).filter((candidate) => {
    const rule = inForce(candidate, entity);
    return rule !== undefined && holds(rule, event);
  });
}

/** Whether a maintenance rule holds for the entity at that time. */
export function maintenanceAt(rules: RuleIndex<IngestRule>, entity: Entity, at: number): boolean {
  return holdingRules(rules, entity, at).length > 0;
}

/** What holds matches: rules of type Maintenance, and the windows that people started or that changes have. */
export interface Maintenance {
  rules: RuleIndex<IngestRule>;
  windows: WindowIndex;
}

export function maintenanceOf(rules: Pick<CompiledRules, 'maintenance' | 'windows'>): Maintenance {
  return { rules: rules.maintenance(), windows: rules.windows() };
}

/** Whether matches of the rule for the entity are held at that time. */
export function isHeldAt(
  { rules, windows }: Maintenance,
  entity: Entity,
  at: number,
  ruleId: string,
  rule: ExpectedRule | undefined,
): boolean {
  if (maintenanceAt(rules, entity, at)) return true;
  return windows.size > 0 && windows.concerning(entity, at).some((window) => expects(window, ruleId, rule));
}

/**
 * Whether the actions of a hit wait for the end of a maintenance that holds at the hit's own time, or that holds now: during a
 * maintenance nobody is called for earlier events either.
 */
export function inMaintenance(
  by: Maintenance,
  { entity, packet, rule }: Pick<RuleHit, 'entity' | 'packet' | 'rule'>,
  now: number,
): boolean {
  if (by.rules.size === 0 && by.windows.size === 0) return false;
  return isHeldAt(by, entity, packet.timestamp, rule.ruleId, rule) || isHeldAt(by, entity, now, rule.ruleId, rule);
}
