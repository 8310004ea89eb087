/**
 * Evaluates packets that arrive shortly after newer ones where they belong in time. The packets since a remembered state are
 * evaluated again, once without and once with the late ones; what differs is added. Hits that were told already stay. Pure.
 */
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import { timeOfUuidV7 } from '../../../platform/uuid-v7.ts';
import {
  evaluateEvent,
  newProgress,
  setMemory,
  type Checkpoint,
  type EntityProgress,
  type Rewind,
  type RuleHit,
} from '../evaluate-entity.ts';
import { packetEvent, type Circumstances } from '../circumstances.ts';
import type { Entity } from '../entity.ts';
import type { IngestRule } from '../ingest-rule.ts';
import type { IncomingPacket } from '../packet.ts';

/** The default of a rule, and the most that a rule may say. */
export const defaultGraceMs = 10_000;
export const longestGraceMs = 30_000;

interface LateOf {
  rules: RuleIndex<IngestRule>;
  entity: Entity;
  around: Circumstances;
}

/** The time of evaluation of a packet, and by how much it was older than the newest packet before it. */
interface Placed {
  packet: IncomingPacket;
  lateMs: number;
}

/** Returns by how much each stored packet was late when it was received. */
function placed(packets: readonly IncomingPacket[], since: number): Placed[] {
  let newest = since;
  return packets
    .map((packet) => ({ packet, received: timeOfUuidV7(packet.packetId) ?? packet.timestamp }))
    .sort((a, b) => a.received - b.received || a.packet.timestamp - b.packet.timestamp)
    .map(({ packet, received }) => {
      const lateMs = Math.max(0, newest - packet.timestamp);
      newest = Math.max(newest, Math.min(packet.timestamp, received));
      return { packet, lateMs };
    });
}

const graceOf = ({ rule }: CompiledRule<IngestRule>) => rule.graceMs ?? defaultGraceMs;

/** Whether the rule evaluates a packet that is so late. */
function takes(rule: CompiledRule<IngestRule>, lateMs: number, { checkpoint }: Rewind): boolean {
  return lateMs <= graceOf(rule) && (checkpoint !== undefined || rule.resting !== undefined);
}

function evaluateAll({ rules, entity, around }: LateOf, rewind: Rewind, packets: readonly Placed[]): EntityProgress {
  const progress = newProgress(rewind.checkpoint?.state);
  const startAt = rewind.checkpoint && Number.isFinite(rewind.checkpoint.at) ? rewind.checkpoint.at : undefined;
  const before: Placed[] = [];
  for (const one of packets.toSorted((a, b) => a.packet.timestamp - b.packet.timestamp)) {
    const { packet, lateMs } = one;
    const takers = rules.candidates(packetEvent(around, entity, packet, undefined)).filter((rule) => takes(rule, lateMs, rewind));
    // The packet before is the last one that the rule has evaluated, which depends on its grace.
    for (const [graceMs, some] of Map.groupBy(takers, graceOf)) {
      const previousAt = before.findLast((earlier) => earlier.lateMs <= graceMs)?.packet.timestamp ?? startAt;
      evaluateEvent(progress, some, entity, packet, packetEvent(around, entity, packet, previousAt));
    }
    before.push(one);
  }
  return progress;
}

const keyOf = ({ rule, packet }: RuleHit) => `${rule.ruleId} ${packet.packetId}`;

/** The hits that the late packets add, with the recoveries after them, which end what they open. */
function addedHits(without: EntityProgress, withLate: EntityProgress): RuleHit[] {
  const knownHits = new Set(without.hits.map(keyOf));
  const opened = new Set<string>();
  return withLate.hits
    .filter((hit) => {
      const { recovers } = hit.rule.rule;
      const isAdded = !knownHits.has(keyOf(hit));
      if (hit.isRelapse) return isAdded;
      if (recovers !== undefined) return opened.delete(recovers) || isAdded;
      if (isAdded) opened.add(hit.rule.ruleId);
      return isAdded;
    })
    .map((hit) => ({ ...hit, isOutOfOrder: true as const }));
}

/** Changes the present memory by what the late packets change. */
function remember(progress: EntityProgress, without: EntityProgress, withLate: EntityProgress): void {
  for (const ruleId of new Set([...Object.keys(without.memory), ...Object.keys(withLate.memory)])) {
    const [before, after] = [without.memory[ruleId], withLate.memory[ruleId]];
    if (JSON.stringify(before) === JSON.stringify(after)) continue;
    setMemory(progress, ruleId, after);
    progress.changed = true;
  }
  for (const which of ['holding', 'unrecovered', 'recovering'] as const)
    for (const ruleId of new Set([...without[which], ...withLate[which]])) {
      const is = withLate[which].has(ruleId);
      if (is === without[which].has(ruleId) || is === progress[which].has(ruleId)) continue;
      if (is) progress[which].add(ruleId);
      else progress[which].delete(ruleId);
      progress.changed = true;
    }
}

/**
 * Evaluates late packets, given at the times of their evaluation, and adds their consequences to `progress`. Returns for each
 * packet the rules that it concerns and that did not evaluate it.
 */
export function evaluateLate(
  of: LateOf,
  progress: EntityProgress,
  rewind: Rewind,
  late: readonly IncomingPacket[],
  latestAt: number,
): Map<IncomingPacket, { left: CompiledRule<IngestRule>[]; isTaken: boolean }> {
  const stored = placed(rewind.packets, rewind.checkpoint?.at ?? -Infinity);
  const added = late.map((packet): Placed => ({ packet, lateMs: latestAt - packet.timestamp }));
  const without = evaluateAll(of, rewind, stored);
  const withLate = evaluateAll(of, rewind, [...stored, ...added]);
  progress.hits.push(...addedHits(without, withLate));
  remember(progress, without, withLate);
  return new Map(
    added.map(({ packet, lateMs }) => {
      const candidates = of.rules.candidates({ entity: of.entity, packet });
      const left = candidates.filter((rule) => !takes(rule, lateMs, rewind));
      return [packet, { left, isTaken: left.length < candidates.length || left.length === 0 }];
    }),
  );
}

/** Returns the checkpoints after a packet: two, so that the older one is always older than the longest grace, if there was one. */
export function nextCheckpoints(checkpoints: readonly Checkpoint[], next: Checkpoint): readonly Checkpoint[] {
  const last = checkpoints.at(-1);
  if (last && next.at > last.at && next.at - last.at < longestGraceMs) return checkpoints;
  return [...checkpoints.filter(({ at }) => at < next.at).slice(-1), next];
}

/** Returns the latest checkpoint up to a time. */
export function checkpointAt(checkpoints: readonly Checkpoint[] | undefined, at: number): Checkpoint | undefined {
  return checkpoints?.findLast((checkpoint) => checkpoint.at <= at);
}
