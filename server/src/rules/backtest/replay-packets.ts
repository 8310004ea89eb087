/** Runs past packets, and the silence between them, through rules. Pure; it uses the evaluation of ingest. */
import { minuteMs } from '@cloudfit/contract/durations.ts';
import { silenceMs } from '@cloudfit/contract/rules/facts.ts';
import { buildRuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { Entity } from '../run/entity.ts';
import { noCircumstances, tickEvent } from '../run/circumstances.ts';
import type { LatestPacketState, EvaluationNote } from '../run/evaluate-entity.ts';
import { evaluateEntity, isLate, latestAfter } from '../run/evaluate-packets.ts';
import { checkpointAt, longestGraceMs } from '../run/order/out-of-order.ts';
import { isAway } from '../run/pulse.ts';
import { maxGraceMs, packetsOfBeat, usualBeatMs } from '../run/beats.ts';
import { evaluateSilence, quietMs, quietMsOf, silenceSweepMs } from '../run/silence.ts';
import { silenceRecoveries } from '../run/silence-ends.ts';
import type { IncomingPacket } from '../run/packet.ts';
import { takeTurns } from '../../platform/turns.ts';
import { isWaiting, type PastPacket, type Period } from '../past/past-packets.ts';
import { silentSinceOf, withEvaluatedTime } from '../run/order/packet-times.ts';
import { triedOf, withRecoveries, type Outcomes, type TriedRules } from './outcomes.ts';

interface EntityPast {
  entity: Entity;
  latest: LatestPacketState | undefined;
  /** When the entity was created. An entity without packets is silent from then on. */
  created: number | undefined;
  /** The times of the latest packets, from which the beat follows. */
  times: number[];
  /** The latest batch, of which more packets may follow. */
  pending: PastPacket[];
  /** Packets that were received after others that are not read yet. */
  waiting: PastPacket[];
  /** The packets that were evaluated lately, at the times of their evaluation, for those that arrive out of order. */
  recent: IncomingPacket[];
  /** The time up to which silence is evaluated. */
  looked: number;
}

export interface PacketReplay {
  /** Registers the times of the latest packets of an entity before `take` gets its packets. */
  remember(entity: Entity, times: readonly number[]): void;
  /** Registers an entity that may never have reported. Must be called before `take` gets the entity's packets. */
  watch(entity: Entity, created: number): void;
  /**
   * Takes the next packets of one entity, in the order of their receipt. Further ones have times from `to` on, and may have been
   * received before the last of these.
   */
  take(entity: Entity, packets: readonly PastPacket[], to?: number): void;
  /** Evaluates the silence of each entity up to the end of the period; false when stopped. */
  finish(goOn: () => Promise<boolean>): Promise<boolean>;
}

function asPacket(past: PastPacket, index: number): IncomingPacket {
  const { packetId, entityId, timestamp, message } = past;
  const evaluated = withEvaluatedTime(past).timestamp;
  return { index, packetId, entityId, timestamp, evaluated, messageId: undefined, message, json: '' };
}

const atEvaluation = (packet: IncomingPacket): IncomingPacket => ({ ...packet, timestamp: packet.evaluated ?? packet.timestamp });

/** How far back the packets of an entity can reach whose first packet is still within the grace. */
const firstMs = 4 * longestGraceMs;

/** Returns the latest packet, with what the evaluation of packets out of order starts from if there are some, as for ingest. */
function rewound({ latest, recent }: EntityPast, incoming: readonly IncomingPacket[]): LatestPacketState | undefined {
  const late = latest ? incoming.map(atEvaluation).filter((packet) => isLate(packet, latest)) : [];
  if (!latest || late.length === 0) return latest;
  const from = Math.min(...late.map(({ timestamp }) => timestamp));
  const checkpoint = checkpointAt(latest.checkpoints, from);
  const since = Math.max(checkpoint?.at ?? from - 1, from - firstMs);
  const packets = recent.filter(({ timestamp }) => timestamp > since).toSorted((a, b) => a.timestamp - b.timestamp);
  return { ...latest, rewind: { checkpoint, packets } };
}

/** Creates a replay that evaluates packets, and silence within `period`, except in gaps, when the installation was down. */
export function newPacketReplay(rules: TriedRules, period: Period, outcomes: Outcomes, around = noCircumstances): PacketReplay {
  const { gaps } = around;
  const tried = triedOf(rules);
  const index = buildRuleIndex(withRecoveries(tried));
  const silent = buildRuleIndex(tried.filter((rule) => rule.silenceMs !== undefined));
  const minMs = Math.min(...tried.map((rule) => rule.silenceMs ?? Infinity));
  /** The milliseconds of silence after which the passing of time changes no condition any more. */
  const settledMs = Math.max(
    minMs,
    ...tried
      .flatMap((rule) => rule.conditions.flatMap((condition) => [condition.silenceMs, condition.window?.ms, condition.gapMs]))
      .filter((ms) => ms !== undefined),
  );
  /** Whether a rule has time limits, by which it can begin or stop to match during unchanged silence. */
  const keepsTime = tried.some((rule) => rule.inTimeWindow);
  const pasts = new Map<string, EntityPast>();

  function lookAt(past: EntityPast, since: number, at: number): void {
    const notes: EvaluationNote[] = [];
    const beatMs = gaps.length > 0 ? usualBeatMs(past.times) : undefined;
    const row = { at: since, memory: past.latest?.state.memory, beatMs, ...(past.latest ? {} : { packet_id: null }) };
    const hits = evaluateSilence(silent, past.entity, row, around, at, notes);
    outcomes.take(past.entity, { hits, notes }, at, quietMsOf);
    if (!past.latest) return;
    const holding = past.latest.state.holding ?? [];
    const open = outcomes
      .openMatches(past.entity)
      .filter(({ match }) => match.recovered === undefined)
      .map(({ match: { ruleId, lastMatch }, isBySilence }) => ({ ruleId, lastMatch, isBySilence, isHolding: holding.includes(ruleId) }));
    const ends = silenceRecoveries(silent, past.entity, since, open, new Set(hits.map(({ rule }) => rule.ruleId)));
    if (ends.length > 0) outcomes.take(past.entity, { hits: ends, notes: [] }, at);
  }

  /** Whether a condition can still change by the passing of time. */
  function isUnsettled({ entity }: EntityPast, since: number, now: number): boolean {
    const changingMs = settledMs + quietMs;
    const last = Math.max(since, ...gaps.filter((gap) => gap.from < now).map((gap) => gap.until));
    const tick = { ...tickEvent({ gaps }, entity, since, now), graceMs: maxGraceMs };
    return now < last + changingMs || (silenceMs(tick) ?? 0) < changingMs;
  }

  /**
   * Evaluates silence at the times of the silence timer: every few seconds while a condition can change, after that at least
   * once a minute, and when its match can reopen or repeat. Yields after each evaluation.
   */
  function* silenceUpTo(past: EntityPast, until: number): Generator<undefined> {
    const { latest, entity, created } = past;
    const since = latest ? silentSinceOf(latest) : created;
    if (since === undefined || !entity.enabled) return;
    // Without a rule on silence the first time is infinite.
    const first = minMs < Infinity && outcomes.openMatches(entity).length > 0 ? past.looked : Math.max(past.looked, since + minMs);
    for (let at = Math.ceil(first / silenceSweepMs) * silenceSweepMs; at < until;) {
      const now = at;
      const gap = gaps.find((gap) => isAway([gap], now));
      if (gap) {
        at = Math.ceil(gap.until / silenceSweepMs) * silenceSweepMs;
        continue;
      }
      lookAt(past, since, now);
      yield;
      if (isUnsettled(past, since, now)) at = now + silenceSweepMs;
      else {
        const minute = keepsTime ? (Math.floor(now / minuteMs) + 1) * minuteMs : Infinity;
        at = Math.ceil(Math.min(now + quietMs, minute, outcomes.dueAfter(entity, now, quietMsOf)) / silenceSweepMs) * silenceSweepMs;
      }
    }
  }

  function evaluatePending(past: EntityPast): void {
    const packets = past.pending;
    const received = packets[0]?.received;
    if (received === undefined) return;
    past.pending = [];
    for (const _ of silenceUpTo(past, received));
    const incoming = packets.map(asPacket);
    const result = evaluateEntity(index, past.entity, rewound(past, incoming), incoming, around);
    const evaluated = incoming.filter((packet) => result.times?.get(packet) !== -Infinity).map(atEvaluation);
    past.latest = latestAfter(past.latest, result) ?? past.latest;
    const oldest = (past.latest?.timestamp ?? 0) - firstMs;
    past.recent = [...past.recent.filter(({ timestamp }) => timestamp > oldest), ...evaluated];
    past.looked = Math.max(past.looked, received);
    outcomes.take(past.entity, result, received);
  }

  function pastOf(entity: Entity): EntityPast {
    let past = pasts.get(entity.id);
    if (!past)
      pasts.set(
        entity.id,
        (past = { entity, latest: undefined, created: undefined, times: [], pending: [], waiting: [], recent: [], looked: period.from }),
      );
    return past;
  }

  return {
    remember(entity, times) {
      pastOf(entity).times = [...times];
    },
    watch(entity, created) {
      pastOf(entity).created = created;
    },
    take(entity, packets, to = Infinity) {
      const past = pastOf(entity);
      const all = past.waiting.length > 0 ? [...past.waiting, ...packets].toSorted((a, b) => a.received - b.received) : packets;
      past.waiting = all.filter((item) => isWaiting(item, to));
      for (const packet of past.waiting.length > 0 ? all.filter((item) => !isWaiting(item, to)) : all) {
        if (past.pending[0]?.received !== packet.received) evaluatePending(past);
        past.pending.push(packet);
        if (gaps.length > 0) past.times = [...past.times.slice(1 - packetsOfBeat), packet.timestamp];
      }
    },
    async finish(goOn) {
      const turn = takeTurns();
      let count = 0;
      for (const past of pasts.values()) {
        this.take(past.entity, []);
        evaluatePending(past);
        for (const _ of silenceUpTo(past, period.to)) {
          await turn();
          if ((count += 1) % 2_000 === 0 && !(await goOn())) return false;
        }
      }
      return true;
    },
  };
}
