/** Runs the packets of one entity through the rules that could match them. Pure: takes and returns the memory of the rules. */
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import { noCircumstances, packetEvent, type Circumstances } from './circumstances.ts';
import type { Entity } from './entity.ts';
import {
  evaluateEvent,
  newProgress,
  nothing,
  remembering,
  tidied,
  type EntityEvaluation,
  type EntityState,
  type EvaluationNote,
  type LatestPacketState,
} from './evaluate-entity.ts';
import type { IngestRule } from './ingest-rule.ts';
import { evaluateLate, longestGraceMs, nextCheckpoints } from './order/out-of-order.ts';
import type { IncomingPacket } from './packet.ts';
import { storedTime, timed } from './order/packet-times.ts';
import { noticeableMs, type SenderClock } from './order/sender-clock.ts';
import { inForce } from './rollout.ts';

/** Whether a packet is older than the latest one by no more than the longest grace. `packet` is at the time of its evaluation. */
export function isLate(packet: { timestamp: number }, latest: { timestamp: number }): boolean {
  return packet.timestamp < latest.timestamp && latest.timestamp - packet.timestamp <= longestGraceMs;
}

/** Returns by how much later the latest packet would have been evaluated by what is known now of the clock of its sender. */
function shiftOf({ timestamp, sent = timestamp }: LatestPacketState, clock: SenderClock | undefined): number {
  return Math.max(0, sent + (clock?.offset ?? 0) - timestamp);
}

/** Notes that these rules did not evaluate a packet, because it is older than the latest one. */
function staleNotes(
  rules: readonly CompiledRule<IngestRule>[],
  entity: Entity,
  packet: IncomingPacket,
  latestAt: number,
): EvaluationNote[] {
  const detail = { latest: new Date(latestAt).toISOString() };
  return rules
    .filter((rule) => rule.rule.recovers === undefined && inForce(rule, entity))
    .map((rule) => ({ outcome: 'stale', rule, entity, packet, detail }));
}

interface EntityOptions extends Circumstances {
  /** The memory from which the evaluation starts; by default the memory of the latest packet. */
  state?: EntityState | undefined;
  /** The rules whose memory is kept; by default the evaluated rules. */
  keepMemoryOf?: Pick<RuleIndex<IngestRule>, 'get'>;
}

/** Evaluates the packets of one entity, given in any order. A failing rule becomes a note, not an error. */
export function evaluateEntity(
  rules: RuleIndex<IngestRule>,
  entity: Entity,
  latest: LatestPacketState | undefined,
  sentPackets: readonly IncomingPacket[],
  around: EntityOptions = noCircumstances,
): EntityEvaluation {
  const { state = latest?.state, keepMemoryOf = rules } = around;
  const { packets, received = Infinity, clock, isAfterFuture } = timed(latest, sentPackets);
  const shiftMs = latest && clock !== latest.state.clock ? shiftOf(latest, clock) : 0;
  // What was remembered of the future would hide the present until it has come; what was remembered before the times of the sender
  // were corrected would count the correction as time that passed.
  const forgets = (isAfterFuture || shiftMs > noticeableMs) && state?.memory !== undefined && state === latest?.state;
  const progress = newProgress(forgets ? { ...state, memory: nothing } : state);
  progress.changed = forgets || clock !== latest?.state.clock;
  const { hits, notes } = progress;
  const result: EntityEvaluation = { newest: undefined, newestAt: 0, state: undefined, times: undefined, lateFrom: undefined, hits, notes };
  let latestAt = isAfterFuture ? undefined : latest?.timestamp;
  let previousAt = latestAt === undefined ? undefined : Math.min(latestAt + shiftMs, received);

  const late = latest?.rewind && !isAfterFuture ? packets.filter(({ packet }) => isLate(packet, latest)) : [];
  const placements =
    late.length > 0 && latest?.rewind
      ? evaluateLate(
          { rules, entity, around },
          progress,
          latest.rewind,
          late.map(({ packet }) => packet),
          latest.timestamp,
        )
      : undefined;

  for (const one of packets) {
    const { sent, packet } = one;
    const placed = placements?.get(packet);
    if (placed?.isTaken) {
      (result.times ??= new Map()).set(sent, packet.timestamp);
      result.lateFrom ??= packet.timestamp;
    }
    if (placed && latest) {
      if (!placed.isTaken) (result.times ??= new Map()).set(sent, -Infinity);
      notes.push(...staleNotes(placed.left, entity, packet, latest.timestamp));
      continue;
    }
    const event = packetEvent(around, entity, packet, previousAt);
    if (latestAt !== undefined && packet.timestamp < latestAt) {
      (result.times ??= new Map()).set(sent, -Infinity);
      notes.push(...staleNotes(rules.candidates(event), entity, packet, latestAt));
      continue;
    }
    evaluateEvent(progress, rules.candidates(event, remembering(progress)), entity, packet, event);
    const stored = storedTime(one, received === Infinity ? undefined : received);
    if (stored !== null) (result.times ??= new Map()).set(sent, stored);
    latestAt = previousAt = Math.min(packet.timestamp, received);
    result.newest = sent;
    result.newestAt = latestAt;
  }
  if (progress.changed) result.state = { ...tidied(progress, keepMemoryOf, entity.tenantId), ...(clock ? { clock } : {}) };
  return result;
}

/** Returns the latest packet of an entity, with its memory, after a batch; undefined if it has not changed. */
export function latestAfter(before: LatestPacketState | null | undefined, result: EntityEvaluation): LatestPacketState | undefined {
  const { newest, newestAt, state = before?.state ?? {}, lateFrom = Infinity } = result;
  // Before its first packet an entity has no memory.
  const first = before ? { at: before.timestamp, state: before.state } : { at: -Infinity, state: {} };
  const checkpoints = before?.checkpoints ?? [first];
  const earlier = lateFrom === Infinity ? checkpoints : checkpoints.filter(({ at }) => at <= lateFrom);
  if (!newest) {
    if (!before || (result.state === undefined && result.lateFrom === undefined)) return undefined;
    return { ...before, checkpoints: earlier, state, revision: (before.revision ?? 0) + (result.state ? 1 : 0) };
  }
  return {
    timestamp: newestAt,
    sent: newest.timestamp,
    packetId: newest.packetId,
    state,
    checkpoints: nextCheckpoints(earlier, { at: newestAt, state }),
  };
}
