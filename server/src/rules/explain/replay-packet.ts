/** Evaluates an entity's past packets again, each with the rule's version of its time. */
import { messageOf } from '@cloudfit/contract/errors.ts';
import { compileRule, type CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { evaluate, type RuleState, type Trace } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import type { RuleEvent } from '@cloudfit/contract/rules/facts.ts';
import type { Db } from '../../db/db.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import { baselinesOf, readPastUsual } from '../past/past-usual.ts';
import type { Entity } from '../run/entity.ts';
import { leaveOutGaps } from '../run/beats.ts';
import type { MatchingAt } from '../run/evaluate-entity.ts';
import { orderedAt, orderTime, withEvaluatedTime } from '../run/order/packet-times.ts';
import { gapsBetween } from '../run/pulse.ts';
import { dependenciesOf, readStates } from '../run/rule-states.ts';
import { timeOfUuidV7 } from '../../platform/uuid-v7.ts';
import { firstReceived, iso, mayBeAheadMs, pastColumns, staleOnes, type PastPacket } from '../past/past-packets.ts';
import { isTooLate, latenesses } from './lateness.ts';
import { definitionOf, versionAt, type RuleVersion, type WireRule } from '../past/rule-versions.ts';

/** The maximum number of earlier packets that are evaluated to rebuild pattern memory. */
const longestLook = 2_000;
/**
 * The maximum number of packets that are read for a rule without memory: enough to find the previous packet, even among late
 * packets.
 */
const shortLook = 50;

export interface ReplayedPacket {
  /** The packet to explain. */
  packet: PastPacket;
  stale: boolean;
  /** Undefined when the rule was not evaluated, because the packet was stale, or the rule was disabled, missing or broken. */
  trace: Trace | undefined;
  /** Why the rule could not be evaluated. */
  error: string | undefined;
  /** Whether pattern memory may depend on packets before those that were read. */
  cut: boolean;
  /** The rule's memory after the packet. */
  state: RuleState | undefined;
  /** Whether the other rules that the rule depends on matched. */
  matchingAt?: MatchingAt | undefined;
}

/**
 * The entity's latest packets up to a time, in the order in which rules saw them. Includes a packet with just this time by the
 * clock of its sender, by which people name packets.
 */
export async function packetsUpTo(db: Db, entityId: string, at: number, count: number): Promise<PastPacket[]> {
  const rows = await db.query<PastPacket>({
    text: `select ${pastColumns} from packet p where p.entity_id = $1 and p.timestamp <= $4::timestamptz
  and (${orderedAt('p')} <= $2::timestamptz or p.timestamp = $2::timestamptz)
order by p.timestamp desc, p.received_timestamp desc, p.packet_id desc limit $3`,
    values: [entityId, iso(at), count, iso(at + mayBeAheadMs)],
  });
  return rows.toReversed().sort((a, b) => orderTime(a) - orderTime(b));
}

const oldest = "interval '8 days'";

/** A packet by its id, which contains the time of its receipt. */
export async function packetById(db: Db, entityId: string, packetId: string): Promise<PastPacket | undefined> {
  const received = timeOfUuidV7(packetId);
  if (received === undefined) return undefined;
  const [packet] = await db.query<PastPacket>({
    name: 'explain-packet',
    text: `select ${pastColumns} from packet p where p.entity_id = $1 and p.packet_id = $2
  and p.timestamp > $3::timestamptz - ${oldest} and p.timestamp < $4::timestamptz order by p.timestamp desc limit 1`,
    values: [entityId, packetId, iso(received), iso(received + mayBeAheadMs)],
  });
  return packet;
}

/** Returns a function that compiles each version once. For a version that does not compile, it returns the error as text. */
export function compiler(): (rule: WireRule) => CompiledRule<IngestRule> | string {
  const compiledByRule = new Map<WireRule, CompiledRule<IngestRule> | string>();
  return (rule) => {
    let compiled = compiledByRule.get(rule);
    if (compiled === undefined) {
      try {
        compiled = compileRule(definitionOf(rule));
      } catch (error) {
        compiled = messageOf(error);
      }
      compiledByRule.set(rule, compiled);
    }
    return compiled;
  };
}

/** Returns the packet to explain, and the packets before it. */
async function packetsFor(
  db: Db,
  entityId: string,
  { at, packetId }: { at: number; packetId?: string | undefined },
  count: number,
): Promise<{ packets: PastPacket[]; packet: PastPacket | undefined }> {
  const packets = await packetsUpTo(db, entityId, at, count);
  const packet = packets.findLast((one) => one.packetId === packetId) ?? packets.findLast((one) => one.timestamp === at) ?? packets.at(-1);
  // A packet that was evaluated after its own time also comes after the packets in between.
  return packet && orderTime(packet) > at
    ? { packets: await packetsUpTo(db, entityId, orderTime(packet), count), packet }
    : { packets, packet };
}

/** Evaluates the packet with that id, or the latest packet at that time; undefined without a packet. */
export async function replayPacket(
  db: Db,
  entity: Entity,
  versions: readonly RuleVersion[],
  { at, packetId }: { at: number; packetId?: string | undefined },
): Promise<ReplayedPacket | undefined> {
  const compiled = compiler();
  const remembers = versions.some(({ rule }) => {
    const one = rule && compiled(rule);
    return one && typeof one !== 'string' && one.resting === undefined;
  });
  const count = remembers ? longestLook : shortLook;
  const { packets, packet } = await packetsFor(db, entity.id, { at, packetId }, count);
  if (!packet) return undefined;
  const lastReceived = Math.max(...packets.map((one) => one.received));
  const later = await firstReceived(db, [entity.id], orderTime(packet) + 1, lastReceived);
  const stale = staleOnes(packets, later.get(entity.id));
  const cut = remembers && packets.length === count;
  const look: ReplayedPacket = {
    packet,
    stale: [...stale].some((one) => one.packetId === packet.packetId),
    trace: undefined,
    error: undefined,
    cut,
    state: undefined,
  };
  if (look.stale) return look;

  const rules = versions.flatMap(({ rule }) => {
    const one = rule && compiled(rule);
    return one && typeof one !== 'string' ? [one] : [];
  });
  const [depends, baselines] = [dependenciesOf(rules), baselinesOf(rules)];
  const first = packets[0] ? orderTime(packets[0]) : at;
  const [matchingAt, gaps] = await Promise.all([readStates(db, depends, [entity], first), gapsBetween(db, first, at)]);
  look.matchingAt = matchingAt;
  const past = baselines.length > 0 ? await readPastUsual(db, baselines, [entity], { from: first, to: at }) : undefined;
  const late = latenesses(packets);
  let state: RuleState | undefined;
  let previous: { timestamp: number } | undefined;
  for (const one of packets) {
    if (stale.has(one)) continue;
    const rule = versionAt(versions, one.received)?.rule;
    const runs = rule?.enabled === true ? compiled(rule) : undefined;
    if (typeof runs === 'object' && isTooLate(late.get(one) ?? 0, runs.rule)) {
      look.stale = one.packetId === packet.packetId;
      if (look.stale) break;
      continue;
    }
    if (typeof runs === 'string') look.error = one.packetId === packet.packetId ? runs : undefined;
    else if (runs) {
      const judged = withEvaluatedTime(one);
      const event: RuleEvent = {
        entity,
        packet: judged,
        previous,
        matching: matchingAt(entity, judged.timestamp),
        usual: past?.usualAt(entity, judged.timestamp),
      };
      leaveOutGaps(event, gaps);
      try {
        const result = evaluate(runs, event, state, { trace: one.packetId === packet.packetId });
        state = result.state;
        look.trace = result.trace;
        look.state = state;
      } catch (error) {
        look.error = one.packetId === packet.packetId ? messageOf(error) : undefined;
      }
    }
    if (one.packetId === packet.packetId) break;
    previous = { timestamp: orderTime(one) };
  }
  return look;
}
