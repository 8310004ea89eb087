/** What rules see besides an event itself, now or as of a past time, and the events of entities that are made with it. */
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import type { Gap, RuleEntity, RuleEvent } from '@cloudfit/contract/rules/facts.ts';
import type { UsualAt } from './baselines/usual-values.ts';
import { graceMsOf, leaveOutGaps } from './beats.ts';

/** Returns a function that says whether rules match for an entity at a time. */
export type MatchingAt = (entity: RuleEntity, at: number) => NonNullable<RuleEvent['matching']>;

export interface Circumstances {
  /** The outages, which are no silence. */
  gaps: readonly Gap[];
  /** For rules that depend on other rules. */
  matchingAt?: MatchingAt | undefined;
  /** For rules that compare with a baseline. */
  usualAt?: UsualAt | undefined;
}

export const noCircumstances: Circumstances = { gaps: [] };

/** The event of a packet. `previousAt`: the time of the entity's packet before it. */
export function packetEvent(
  { gaps, matchingAt, usualAt }: Circumstances,
  entity: RuleEntity,
  packet: RuleEvent['packet'],
  previousAt: number | undefined,
): RuleEvent {
  const event: RuleEvent = { entity, packet, previous: previousAt === undefined ? undefined : { timestamp: previousAt } };
  leaveOutGaps(event, gaps);
  if (matchingAt) event.matching = matchingAt(entity, packet.timestamp);
  if (usualAt) event.usual = usualAt(entity, packet.timestamp);
  return event;
}

/** The event of time that passes without a packet. `since`: the time of the entity's latest packet, or of its creation. */
export function tickEvent({ gaps, matchingAt }: Circumstances, entity: RuleEntity, since: number, at: number): RuleEvent {
  const packet = { timestamp: at, message: {} };
  return { kind: 'tick', entity, packet, previous: { timestamp: since }, gaps, matching: matchingAt?.(entity, at) };
}

/**
 * The tick as a rule evaluates it; undefined for a rule that silence cannot match. `beatMs`: the usual time between the packets of
 * the entity, for which the rule waits after an outage.
 */
export function tickFor(rule: CompiledRule, tick: RuleEvent, beatMs: number | undefined): RuleEvent | undefined {
  return rule.silenceMs === undefined ? undefined : { ...tick, graceMs: graceMsOf(beatMs, rule.silenceMs) };
}
