/** For tests of the order of packets: receives the packets of `web` as ingest does, with its cache and its stored packets in memory. */
import { uuidV7 } from '../../platform/uuid-v7.ts';
import { decideMatches, matchKey, type NewMatch, type OpenMatch } from '../run/decide-matches.ts';
import type { EntityState, LatestPacketState } from '../run/evaluate-entity.ts';
import { evaluateEntity, isLate, latestAfter } from '../run/evaluate-packets.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import { recoveryOf } from '../run/compiled-rules.ts';
import { checkpointAt } from '../run/order/out-of-order.ts';
import type { IncomingPacket } from '../run/packet.ts';
import { indexOf, packetAt, web } from './hits.ts';

/** A packet with its time and that of its receipt, in milliseconds. */
export interface Arrival {
  at: number;
  received: number;
  cpu: number;
}

export interface ReceivedMatch {
  first: number;
  last: number;
  count: number;
  expires: number;
  /** Whether the actions of the match ran. */
  isTold: boolean;
}

interface Received {
  matches: ReceivedMatch[];
  state: EntityState;
  /** The times of the packets that were only stored. */
  stale: number[];
}

/** Receives packets one after the other. `forgets`: whether the process restarts before each packet. */
export function receive(rule: IngestRule, arrivals: readonly Arrival[], forgets = false): Received {
  const recovery = recoveryOf(rule);
  const rules = indexOf(rule, ...(recovery ? [recovery] : []));
  const key = matchKey(rule.ruleId, web.id);
  const stored: IncomingPacket[] = [];
  const all: (OpenMatch & { isTold: boolean })[] = [];
  const stale: number[] = [];
  let latest: LatestPacketState | undefined;
  for (const { at, received, cpu } of arrivals.toSorted((a, b) => a.received - b.received)) {
    const sent = { ...packetAt(at, cpu), packetId: uuidV7(received) };
    if (forgets && latest) delete latest.checkpoints;
    const before = latest;
    const checkpoint = checkpointAt(before?.checkpoints, at);
    const since = checkpoint?.at ?? at - 1;
    const recent = stored.filter((entry) => entry.timestamp > since).toSorted((a, b) => a.timestamp - b.timestamp);
    const rewound = before && isLate(sent, before) ? { ...before, rewind: { checkpoint, packets: recent } } : before;
    const result = evaluateEntity(rules, web, rewound, [sent]);
    if (result.times?.get(sent) === -Infinity) stale.push(at);
    else stored.push(sent);
    latest = latestAfter(before, result) ?? before;
    // As in the database: the open match, or the last one that was open at the time of the first hit.
    const open = all.find((match) => !match.over && match.expires > received);
    for (const match of all) if (match.expires <= received) match.over ??= { closed: match.expires, late: false };
    const [first] = result.hits;
    const ended = all
      .filter((match) => match.over && first && match.expires > first.packet.timestamp)
      .filter((match) => (match.firstMatch ?? 0) <= (first?.packet.timestamp ?? 0) + (first?.isOutOfOrder ? 30_000 : 0))
      .toSorted((a, b) => b.expires - a.expires)[0];
    const current = open ?? ended;
    const decision = decideMatches(result.hits, new Map<string, OpenMatch>(current ? [[key, current]] : []), () => false, received);
    const opened = decision.opened.map((match: NewMatch) => ({ ...match, isTold: match.suppressed !== 'late' }));
    for (const match of opened) if (match.closed !== undefined) match.over = { closed: match.closed, late: !match.isTold };
    all.push(...opened);
  }
  const matches = all.map(({ firstMatch, lastMatch, matchCount, expires, isTold }) => ({
    first: firstMatch,
    last: lastMatch,
    count: matchCount,
    expires,
    isTold,
  }));
  return { matches: matches.toSorted((a, b) => a.first - b.first), state: latest?.state ?? {}, stale };
}
