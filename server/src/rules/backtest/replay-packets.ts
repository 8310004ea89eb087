/** Runs past packets, and the silence between them, through rules. Pure; it uses the evaluation of ingest. */
import { silenceMs, type Gap } from '@cloudfit/contract/rules/facts.ts';
import { buildRuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { UsualAt } from '../baselines/usual-values.ts';
import type { Entity } from '../entity.ts';
import type { LatestPacketState, EvaluationNote, MatchingAt } from '../evaluate-entity.ts';
import { evaluateEntity } from '../evaluate-packets.ts';
import { isAway } from '../pulse.ts';
import { maxGraceMs, packetsOfBeat, usualBeatMs } from '../beats.ts';
import { evaluateSilence, silenceSweepMs, quietMs } from '../silence.ts';
import type { IncomingPacket } from '../packet.ts';
import type { PastPacket } from '../history/past-packets.ts';
import { silentSinceOf, withEvaluatedTime } from '../order/packet-times.ts';
import { breathe } from './backtest.ts';
import { triedOf, withRecoveries, type Outcomes, type TriedRules } from './outcomes.ts';
import type { Period } from './tally.ts';

interface EntityPast {
  entity: Entity;
  latest: LatestPacketState | undefined;
  /** When the entity was created. An entity without packets is silent from then on. */
  created: number | undefined;
  /** The times of the latest packets, from which the beat follows. */
  times: number[];
  /** The latest batch, of which more packets may follow. */
  pending: PastPacket[];
  /** The time up to which silence is evaluated. */
  looked: number;
}

export interface PacketReplay {
  /** Registers the times of the latest packets of an entity before `take` gets its packets. */
  remember(entity: Entity, times: readonly number[]): void;
  /** Registers an entity that may never have reported. Must be called before `take` gets the entity's packets. */
  watch(entity: Entity, created: number): void;
  /** Takes the next packets of one entity, in order of time. */
  take(entity: Entity, packets: readonly PastPacket[]): void;
  /** Evaluates the silence of each entity up to the end of the period; false when stopped. */
  finish(goOn: () => Promise<boolean>): Promise<boolean>;
}

function asPacket(past: PastPacket, index: number): IncomingPacket {
  const { packetId, entityId, timestamp, message } = past;
  const evaluated = withEvaluatedTime(past).timestamp;
  return { index, packetId, entityId, timestamp, evaluated, messageId: undefined, message, json: '' };
}

/** What rules need besides the packets. */
interface EvaluationReaders {
  matchingAt?: MatchingAt | undefined;
  usualAt?: UsualAt | undefined;
}

const minuteMs = 60_000;

/** Creates a replay that evaluates packets, and silence within `period`, except in `gaps`, when the installation was down. */
export function newPacketReplay(
  rules: TriedRules,
  period: Period,
  outcomes: Outcomes,
  gaps: readonly Gap[] = [],
  { matchingAt, usualAt }: EvaluationReaders = {},
): PacketReplay {
  const tried = triedOf(rules);
  const index = buildRuleIndex(withRecoveries(tried));
  const silent = buildRuleIndex(tried.filter((rule) => rule.silenceMs !== undefined));
  const minMs = Math.min(...tried.map((rule) => rule.silenceMs ?? Infinity));
  /** The milliseconds of silence after which the passing of time changes no condition any more. */
  const settledMs = Math.max(
    minMs,
    ...tried
      .flatMap((rule) => rule.conditions.flatMap((one) => [one.silenceMs, one.window?.ms, one.gapMs]))
      .filter((ms) => ms !== undefined),
  );
  /** Whether a rule has time limits, by which it can begin or stop to match during unchanged silence. */
  const keepsTime = tried.some((rule) => rule.inTimeWindow);
  const pasts = new Map<string, EntityPast>();

  function lookAt(past: EntityPast, since: number, at: number): void {
    const notes: EvaluationNote[] = [];
    const beatMs = gaps.length > 0 ? usualBeatMs(past.times) : undefined;
    const row = { at: since, memory: past.latest?.state.memory, beatMs, ...(past.latest ? {} : { packet_id: null }) };
    outcomes.take(past.entity, { hits: evaluateSilence(silent, past.entity, row, gaps, at, notes, matchingAt), notes }, at, quietMs);
  }

  /** Whether a condition can still change by the passing of time. */
  function isUnsettled({ entity }: EntityPast, since: number, now: number): boolean {
    const changingMs = settledMs + quietMs;
    const last = Math.max(since, ...gaps.filter((one) => one.from < now).map((one) => one.until));
    const tick = { entity, packet: { timestamp: now, message: {} }, previous: { timestamp: since }, gaps, graceMs: maxGraceMs };
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
    const first = Math.max(past.looked, since + minMs);
    for (let at = Math.ceil(first / silenceSweepMs) * silenceSweepMs; at < until;) {
      const now = at;
      const gap = gaps.find((one) => isAway([one], now));
      if (gap) {
        at = Math.ceil(gap.until / silenceSweepMs) * silenceSweepMs;
        continue;
      }
      lookAt(past, since, now);
      yield;
      if (isUnsettled(past, since, now)) at = now + silenceSweepMs;
      else {
        const minute = keepsTime ? (Math.floor(now / minuteMs) + 1) * minuteMs : Infinity;
        at = Math.ceil(Math.min(now + quietMs, minute, outcomes.dueAfter(entity, now, quietMs)) / silenceSweepMs) * silenceSweepMs;
      }
    }
  }

  function evaluatePending(past: EntityPast): void {
    const packets = past.pending;
    const received = packets[0]?.received;
    if (received === undefined) return;
    past.pending = [];
    for (const _ of silenceUpTo(past, received));
    const { newest, newestAt, state, hits, notes } = evaluateEntity(index, past.entity, past.latest, packets.map(asPacket), {
      matchingAt,
      usualAt,
      gaps,
    });
    if (newest) past.latest = { timestamp: newestAt, packetId: newest.packetId, state: state ?? past.latest?.state ?? {} };
    past.looked = Math.max(past.looked, received);
    outcomes.take(past.entity, { hits, notes }, received);
  }

  function pastOf(entity: Entity): EntityPast {
    let past = pasts.get(entity.id);
    if (!past)
      pasts.set(entity.id, (past = { entity, latest: undefined, created: undefined, times: [], pending: [], looked: period.from }));
    return past;
  }

  return {
    remember(entity, times) {
      pastOf(entity).times = [...times];
    },
    watch(entity, created) {
      pastOf(entity).created = created;
    },
    take(entity, packets) {
      const past = pastOf(entity);
      for (const packet of packets) {
        if (past.pending[0]?.received !== packet.received) evaluatePending(past);
        past.pending.push(packet);
        if (gaps.length > 0) past.times = [...past.times.slice(1 - packetsOfBeat), packet.timestamp];
      }
    },
    async finish(goOn) {
      let count = 0;
      for (const past of pasts.values()) {
        evaluatePending(past);
        for (const _ of silenceUpTo(past, period.to)) {
          if ((count += 1) % 2_000 > 0) continue;
          await breathe();
          if (!(await goOn())) return false;
        }
      }
      return true;
    },
  };
}
