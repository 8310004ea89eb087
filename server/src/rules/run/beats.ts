/** The usual time between the packets of an entity, for which rules on silence wait after an outage. */
import type { Gap, RuleEvent } from '@cloudfit/contract/rules/facts.ts';
import { longestWindowSeconds } from '@cloudfit/contract/rules/schema.ts';
import type { Db } from '../../db/db.ts';

/** The number of latest packets from which the beat follows. */
export const packetsOfBeat = 13;
/** Bounds of the grace: connections need some seconds to return, and an entity that reports rarely must not delay others' trust. */
const minGraceMs = 10_000;
export const maxGraceMs = 3_600_000;

/**
 * The usual time between packets with these times. Three quarters of the intervals are at most this long, so that packets in
 * bursts do not shorten it, and few lost ones do not lengthen it. Undefined for fewer than two packets.
 */
export function usualBeatMs(times: readonly number[]): number | undefined {
  const sorted = [...new Set(times)].toSorted((a, b) => a - b);
  const intervals = sorted.slice(1).map((at, i) => at - (sorted[i] ?? at));
  return intervals.toSorted((a, b) => a - b)[Math.ceil(intervals.length * 0.75) - 1];
}

/** How long an entity has, after an outage, to report: one beat. If that is unknown, the limit of the rule. */
export function graceMsOf(beatMs: number | undefined, limitMs: number): number {
  return Math.min(maxGraceMs, Math.max(minGraceMs, beatMs ?? limitMs));
}

/**
 * Leaves outages since the previous packet out of the silence that this packet ends, and those of the longest window out of what it
 * counts. The entity may take as long as it likes to report again, because silence that goes on is found without a packet.
 */
export function leaveOutGaps(event: RuleEvent, gaps: readonly Gap[]): void {
  const last = gaps.at(-1);
  if (last === undefined) return;
  const { packet, previous = packet } = event;
  if (last.until <= Math.min(previous.timestamp, packet.timestamp - longestWindowSeconds * 1_000)) return;
  event.gaps = gaps;
  event.graceMs = maxGraceMs;
}

/** Reads the beat of one entity at the time of a packet; undefined if it is unknown, or if no outage makes it matter. */
export async function readBeat(db: Db, entity: { id: string; at: number }, gaps: readonly Gap[]): Promise<number | undefined> {
  return gaps.length > 0 ? usualBeatMs((await readBeatTimes(db, [entity])).get(entity.id) ?? []) : undefined;
}

/** Reads the times of the latest packets of entities up to a time each; for half a day, because the grace is bounded. */
export async function readBeatTimes(db: Db, entities: readonly { id: string; at: number }[]): Promise<Map<string, number[]>> {
  if (entities.length === 0) return new Map();
  const rows = await db.query<{ id: string; times: number[] }>({
    name: 'beat-times',
    text: `select k.id, p.times from unnest($1::uuid[], $2::float8[]) as k (id, at) cross join lateral (
  select array_agg(at) as times from (
    select (extract(epoch from timestamp) * 1000)::float8 as at from packet
    where entity_id = k.id and timestamp <= to_timestamp(k.at / 1000) and timestamp > to_timestamp(k.at / 1000) - interval '12 hours'
    order by timestamp desc limit ${packetsOfBeat}) t
) p where p.times is not null`,
    values: [entities.map(({ id }) => id), entities.map(({ at }) => at)],
  });
  return new Map(rows.map(({ id, times }) => [id, times]));
}
