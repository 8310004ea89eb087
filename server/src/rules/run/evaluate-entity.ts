/** Runs the packets of one entity through the rules that could match them. Pure: takes and returns the memory of the rules. */
import { messageOf } from '@cloudfit/contract/errors.ts';
import { ruleTypeId, type CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { evaluate, type RuleState } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import type { RuleEvent } from '@cloudfit/contract/rules/facts.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { IngestRule } from './ingest-rule.ts';
import type { Entity } from './entity.ts';
import type { IncomingPacket } from './packet.ts';
import { inForce } from './rollout.ts';
import type { SenderClock } from './order/sender-clock.ts';

/** The memory of an entity's rules between packets, stored in `latest_packet.rule_state`. */
export interface EntityState {
  /** Memory of occurrence patterns and windows, by rule id. */
  memory?: Readonly<Record<string, RuleState>>;
  /** Ids of the rules whose last evaluation was a hit. */
  holding?: readonly string[];
  /** Ids of the rules with recovery conditions that have had a hit since these conditions last held. */
  unrecovered?: readonly string[];
  /** Ids of the rules that stand for recovery conditions which hold, and must hold for a time before they end a match. */
  recovering?: readonly string[];
  /** What is known of the clock of the entity's sender; absent for one that is right. */
  clock?: SenderClock;
}

/** The memory of an entity after all packets up to a time. */
export interface Checkpoint {
  at: number;
  state: EntityState;
}

/** What the evaluation of packets that arrive out of order starts from. */
export interface Rewind {
  /** Undefined if no memory of that time is known: then only rules without memory are evaluated. */
  checkpoint: Checkpoint | undefined;
  /** The packets that were evaluated since then, at the times of their evaluation. */
  packets: readonly IncomingPacket[];
}

/** The entity's latest packet, as stored. */
export interface LatestPacketState {
  /** The `orderTime` of the packet. */
  timestamp: number;
  /** The time of the packet by the clock of its sender. */
  sent?: number;
  /** How often other packets changed `state` since this packet. */
  revision?: number;
  /** Earlier states, for packets that arrive out of order; the newest last. Only the process that wrote them knows them. */
  checkpoints?: readonly Checkpoint[];
  /** Set for a batch that has a packet out of order: what its evaluation starts from. */
  rewind?: Rewind | undefined;
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
  /** For recovery conditions: whether they no longer hold, before they have held as long as the rule says. */
  isRelapse?: true;
  /** Whether a packet that arrived out of order, within the grace of the rule, led to the hit. */
  isOutOfOrder?: true;
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
  /** The `orderTime` of the newest packet. */
  newestAt: number;
  /** The new state; undefined when it has not changed. */
  state: EntityState | undefined;
  /** The earliest time at which a packet out of order was evaluated. */
  lateFrom: number | undefined;
  /** What the column `evaluated` gets, for packets for which it is not null; -Infinity for packets that were not evaluated. */
  times: Map<IncomingPacket, number> | undefined;
  hits: RuleHit[];
  notes: EvaluationNote[];
}

/** Memory and results while the events of one entity are evaluated. */
export interface EntityProgress {
  memory: Readonly<Record<string, RuleState>>;
  /** Whether `memory` is of this evaluation alone, so that it may be changed in place. */
  isCopied: boolean;
  holding: Set<string>;
  unrecovered: Set<string>;
  recovering: Set<string>;
  changed: boolean;
  hits: RuleHit[];
  notes: EvaluationNote[];
}

/** Begins an evaluation with the memory of a state. */
export function newProgress(state: EntityState | undefined): EntityProgress {
  return {
    memory: state?.memory ?? nothing,
    isCopied: false,
    holding: new Set(state?.holding),
    unrecovered: new Set(state?.unrecovered),
    recovering: new Set(state?.recovering),
    changed: false,
    hits: [],
    notes: [],
  };
}

/** Replaces the memory of one rule; undefined: it has none now. */
export function setMemory(progress: EntityProgress, ruleId: string, state: RuleState | undefined): void {
  const memory: Record<string, RuleState> = progress.isCopied ? progress.memory : { ...progress.memory };
  if (state === undefined) delete memory[ruleId];
  else memory[ruleId] = state;
  progress.memory = memory;
  progress.isCopied = true;
}

/** Drops the memory of rules that the tenant no longer has before the state is written. */
export function tidied(
  { memory, holding, unrecovered, recovering }: Pick<EntityProgress, 'memory' | 'holding' | 'unrecovered' | 'recovering'>,
  rules: Pick<RuleIndex<IngestRule>, 'get'>,
  tenantId: string,
): EntityState {
  const memories = Object.entries(memory).filter(([ruleId]) => rules.get(ruleId, tenantId));
  const holdingIds = [...holding].filter((ruleId) => rules.get(ruleId, tenantId));
  const unrecoveredIds = [...unrecovered].filter((ruleId) => rules.get(ruleId, tenantId));
  const recoveringIds = [...recovering].filter((ruleId) => rules.get(ruleId, tenantId));
  return {
    ...(memories.length > 0 ? { memory: Object.fromEntries(memories) } : {}),
    ...(holdingIds.length > 0 ? { holding: holdingIds } : {}),
    ...(unrecoveredIds.length > 0 ? { unrecovered: unrecoveredIds } : {}),
    ...(recoveringIds.length > 0 ? { recovering: recoveringIds } : {}),
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
        setMemory(progress, rule.ruleId, state);
        progress.changed = true;
      }
      const { recovers } = rule.rule;
      if (recovers !== undefined) {
        if (outcome === 'hit') (recoveries ??= []).push({ of: recovers, hit: { rule, entity, packet, event, before } });
        else if (progress.recovering.has(rule.ruleId) && carriesReading(rule, event)) {
          progress.recovering.delete(rule.ruleId);
          progress.unrecovered.add(recovers);
          progress.changed = true;
          hits.push({ rule, entity, packet, event, before, isRelapse: true });
        }
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
    const isHit = hits.some((hit, i) => i >= firstHit && hit.rule.ruleId === ruleId);
    if (isHit || !(progress.unrecovered.has(ruleId) || hit.rule.rule.ruleTypeId === ruleTypeId.history)) continue;
    if (progress.unrecovered.delete(ruleId)) progress.changed = true;
    if ((hit.rule.rule.clearForMs ?? 0) > 0 && !progress.recovering.has(hit.rule.ruleId))
      progress.changed = Boolean(progress.recovering.add(hit.rule.ruleId));
    hits.push(hit);
  }
}

/** Whether the event has one of the readings of the rule, so that its outcome says something about them. */
function carriesReading({ conditions }: CompiledRule<IngestRule>, event: RuleEvent): boolean {
  return conditions.some(({ needsReading, read, field }) => needsReading && read(event, field) !== undefined);
}

/** The rule that the record names; for the rule of recovery conditions, the rule that has these conditions. */
function ofRule(rule: CompiledRule<IngestRule>): CompiledRule<IngestRule> {
  return rule.rule.recovers === undefined ? rule : { ...rule, ruleId: rule.rule.recovers };
}

/** The empty memory of an entity. */
export const nothing: Readonly<Record<string, RuleState>> = {};

const none: readonly string[] = [];

/** Ids of the rules that have memory, held at the previous event, or recover. */
export function remembering({ memory, holding, recovering }: EntityProgress): readonly string[] {
  const isEmpty = memory === nothing && holding.size === 0 && recovering.size === 0;
  return isEmpty ? none : [...Object.keys(memory), ...holding, ...recovering];
}
