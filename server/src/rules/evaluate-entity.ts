/** Runs the packets of one entity through the rules that could match them. Pure: takes and returns the memory of the rules. */
import { messageOf } from '@cloudfit/contract/errors.ts';
import { ruleTypeId, type CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { evaluate } from '@cloudfit/contract/rules/evaluate.ts';
import type { RuleEntity, RuleEvent } from '@cloudfit/contract/rules/facts.ts';
import type { RuleState } from '@cloudfit/contract/rules/observe.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { UsualAt } from './baselines/usual-values.ts';
import { timeOfUuidV7 } from '../platform/uuid-v7.ts';
import type { IngestRule } from './ingest-rule.ts';
import type { Entity } from './entity.ts';
import type { IncomingPacket } from './packet.ts';
import { inForce } from './rollout.ts';

/** Returns a function that says whether rules match for an entity at a time. */
export type MatchingAt = (entity: RuleEntity, at: number) => NonNullable<RuleEvent['matching']>;

/** The memory of an entity's rules between packets, stored in `latest_packet.rule_state`. */
export interface EntityState {
  /** Memory of occurrence patterns and windows, by rule id. */
  memory?: Readonly<Record<string, RuleState>>;
  /** Ids of the rules whose last evaluation was a hit. */
  holding?: readonly string[];
  /** Ids of the rules with recovery conditions that have had a hit since these conditions last held. */
  unrecovered?: readonly string[];
}

/** The entity's latest packet, as stored. */
export interface LatestPacketState {
  /** The `orderTime` of the packet. */
  timestamp: number;
  packetId: string;
  state: EntityState;
}

/** What a match stores of its cause; `packetId` is the correlation id of all consequences. */
export type Cause = Pick<IncomingPacket, 'packetId' | 'timestamp' | 'message'>;

export interface RuleHit {
  rule: CompiledRule<IngestRule>;
  entity: Entity;
  packet: Cause;
  event: RuleEvent;
  /** The memory of the rule before this packet, which explains the hit. */
  before: RuleState | undefined;
  /** Whether the cause is silence instead of a packet. */
  isSilence?: true;
}

/**
 * A recorded evaluation. `stale`: the packet is older than the latest and was not evaluated; `miss`: the rule held at the
 * previous event and does not hold now; `failed`: the evaluation threw an error.
 */
export interface EvaluationNote {
  outcome: 'stale' | 'miss' | 'failed';
  rule: CompiledRule<IngestRule>;
  entity: Entity;
  packet: Cause;
  detail: unknown;
}

export interface EntityEvaluation {
  /** The packet that becomes the latest; undefined when all packets are older than the stored latest packet. */
  newest: IncomingPacket | undefined;
  /** The new state; undefined when it has not changed. */
  state: EntityState | undefined;
  hits: RuleHit[];
  notes: EvaluationNote[];
}

/** Memory and results while the events of one entity are evaluated. */
export interface EntityProgress {
  memory: Readonly<Record<string, RuleState>>;
  holding: Set<string>;
  unrecovered: Set<string>;
  changed: boolean;
  hits: RuleHit[];
  notes: EvaluationNote[];
}

/** Drops the memory of deleted rules before the state is written. */
export function tidied(
  { memory, holding, unrecovered }: Pick<EntityProgress, 'memory' | 'holding' | 'unrecovered'>,
  rules: Pick<RuleIndex<IngestRule>, 'get'>,
): EntityState {
  const memories = Object.entries(memory).filter(([ruleId]) => rules.get(ruleId));
  const holdingIds = [...holding].filter((ruleId) => rules.get(ruleId));
  const unrecoveredIds = [...unrecovered].filter((ruleId) => rules.get(ruleId));
  return {
    ...(memories.length > 0 ? { memory: Object.fromEntries(memories) } : {}),
    ...(holdingIds.length > 0 ? { holding: holdingIds } : {}),
    ...(unrecoveredIds.length > 0 ? { unrecovered: unrecoveredIds } : {}),
  };
}

/** Evaluates one event by these rules. A failing rule becomes a note, not an error. */
export function evaluateEvent(
  progress: EntityProgress,
  candidates: readonly CompiledRule<IngestRule>[],
  entity: Entity,
  packet: Cause,
  event: RuleEvent,
): void {
  const { holding, hits, notes } = progress;
  let recoveries: { of: string; hit: RuleHit }[] | undefined;
  const firstHit = hits.length;
  for (const candidate of candidates) {
    const rule = inForce(candidate, entity);
    if (!rule) continue;
    const before = progress.memory === nothing ? undefined : progress.memory[rule.ruleId];
    try {
      const { outcome, state, changed: remembers } = evaluate(rule, event, before);
      if (remembers) {
        const { [rule.ruleId]: _, ...others } = progress.memory;
        progress.memory = state === undefined ? others : { ...others, [rule.ruleId]: state };
        progress.changed = true;
      }
      const { recovers } = rule.rule;
      if (recovers !== undefined) {
        if (outcome === 'hit') (recoveries ??= []).push({ of: recovers, hit: { rule, entity, packet, event, before } });
      } else if (outcome === 'hit') {
        hits.push({ rule, entity, packet, event, before });
        if (rule.rule.recoveryConditions && !progress.unrecovered.has(rule.ruleId))
          progress.changed = Boolean(progress.unrecovered.add(rule.ruleId));
        if (!holding.has(rule.ruleId)) progress.changed = Boolean(holding.add(rule.ruleId));
      } else if (holding.size > 0 && holding.delete(rule.ruleId)) {
        progress.changed = true;
        notes.push({ outcome: 'miss', rule, entity, packet, detail: evaluate(rule, event, before, { trace: true }).trace });
      }
    } catch (error) {
      notes.push({ outcome: 'failed', rule: ofRule(rule), entity, packet, detail: { error: messageOf(error) } });
    }
  }
  for (const { of: ruleId, hit } of recoveries ?? []) {
    // The recovery conditions end a match only when the packet does not match the rule itself. `holding` does not say that: a
    // packet without the reading of the rule leaves the rule there. The rule must be in `unrecovered`, except for rules of type
    // History: silence can open their matches, but only packets add rules to `unrecovered`.
    const isHit = hits.some((one, i) => i >= firstHit && one.rule.ruleId === ruleId);
    if (isHit || !(progress.unrecovered.has(ruleId) || hit.rule.rule.ruleTypeId === ruleTypeId.history)) continue;
    if (progress.unrecovered.delete(ruleId)) progress.changed = true;
    hits.push(hit);
  }
}

/** The rule that the record names; for the rule of recovery conditions, the rule that has these conditions. */
function ofRule(rule: CompiledRule<IngestRule>): CompiledRule<IngestRule> {
  return rule.rule.recovers === undefined ? rule : { ...rule, ruleId: rule.rule.recovers };
}

/** The empty memory of an entity. */
export const nothing: Readonly<Record<string, RuleState>> = {};

const none: readonly string[] = [];

/** Ids of the rules that have memory or held at the previous event. */
function remembering({ memory, holding }: EntityProgress): readonly string[] {
  return memory === nothing && holding.size === 0 ? none : [...Object.keys(memory), ...holding];
}

/**
 * The time by which packets are ordered. A packet from a clock that is ahead is ordered by its time of receipt, which its id
 * contains; otherwise it would hide the correct packets after it.
 */
export function orderTime({ timestamp, packetId }: { timestamp: number; packetId: string }): number {
  return Math.min(timestamp, timeOfUuidV7(packetId) ?? timestamp);
}

/**
 * The maximum number of milliseconds by which a packet's time may be after its receipt. A packet further ahead is evaluated at
 * its time of receipt, so that its matches end as early as those of other packets.
 */
export const clockAheadMs = 5_000;

/** Returns the packet with the time at which rules evaluate it. */
export function withOrderTime<P extends { timestamp: number; packetId: string }>(packet: P): P {
  const received = timeOfUuidV7(packet.packetId);
  return received !== undefined && packet.timestamp > received + clockAheadMs ? { ...packet, timestamp: received } : packet;
}

interface EntityOptions {
  /** The memory from which the evaluation starts; by default the memory of the latest packet. */
  state?: EntityState | undefined;
  /** The rules whose memory is kept; by default the evaluated rules. */
  keepMemoryOf?: Pick<RuleIndex<IngestRule>, 'get'>;
  /** For rules that depend on other rules. */
  matchingAt?: MatchingAt | undefined;
  /** For rules that compare with a baseline. */
  usualAt?: UsualAt | undefined;
}

/** Evaluates the packets of one entity, given in any order. A failing rule becomes a note, not an error. */
export function evaluateEntity(
  rules: RuleIndex<IngestRule>,
  entity: Entity,
  latest: LatestPacketState | undefined,
  packets: readonly IncomingPacket[],
  { state = latest?.state, keepMemoryOf = rules, matchingAt, usualAt }: EntityOptions = {},
): EntityEvaluation {
  const result: EntityEvaluation = { newest: undefined, state: undefined, hits: [], notes: [] };
  const progress: EntityProgress = {
    memory: state?.memory ?? nothing,
    holding: new Set(state?.holding),
    unrecovered: new Set(state?.unrecovered),
    changed: false,
    hits: result.hits,
    notes: result.notes,
  };
  let latestAt = latest?.timestamp;

  const inOrder = packets.length > 1 ? packets.toSorted((a, b) => a.timestamp - b.timestamp) : packets;
  for (const sent of inOrder) {
    const packet = withOrderTime(sent);
    const event: RuleEvent = { entity, packet, previous: latestAt === undefined ? undefined : { timestamp: latestAt } };
    if (matchingAt) event.matching = matchingAt(entity, packet.timestamp);
    if (usualAt) event.usual = usualAt(entity, packet.timestamp);
    if (latestAt !== undefined && packet.timestamp < latestAt) {
      for (const rule of rules.candidates(event))
        if (rule.rule.recovers === undefined && inForce(rule, entity))
          result.notes.push({ outcome: 'stale', rule, entity, packet, detail: { latest: new Date(latestAt).toISOString() } });
      continue;
    }
    evaluateEvent(progress, rules.candidates(event, remembering(progress)), entity, packet, event);
    latestAt = orderTime(packet);
    result.newest = sent;
  }
  if (progress.changed) result.state = tidied(progress, keepMemoryOf);
  return result;
}
