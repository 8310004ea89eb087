/** Runs past packets through rules as ingest would have, and counts. Pure: the same evaluation, the same decision on matches. */
import type { BacktestResult } from '@cloudfit/contract/actions/backtest.ts';
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { buildRuleIndex, type RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { IngestRule } from '../compiled-rules.ts';
import { decideMatches, matchKey, type Decision, type OpenMatch } from '../decide-matches.ts';
import type { Entity } from '../entities.ts';
import { evaluateEntity, type Hit, type Latest } from '../evaluate-entity.ts';
import { maintenanceAt } from '../maintenance.ts';
import type { Packet } from '../parse-packet.ts';
import type { PastPacket } from '../past-packets.ts';
import { newTally, type PastMatch, type Period, type Tally } from './tally.ts';

interface EntityPast {
  entity: Entity;
  latest: Latest | undefined;
  open: Map<string, PastMatch>;
  /** The last batch that was given: more of it may come. */
  pending: PastPacket[];
}

export interface Fold {
  /** Packets of one entity that were evaluated, in order, after those that were given before. */
  take(entity: Entity, packets: readonly PastPacket[]): void;
  /** Ends what was over by the end of the period. */
  finish(): Pick<BacktestResult, 'draft' | 'inForce' | 'difference'>;
}

export interface FoldRules {
  draft: CompiledRule<IngestRule>;
  inForce: CompiledRule<IngestRule> | undefined;
  maintenance: RuleIndex<IngestRule>;
}

function asPacket(past: PastPacket, index: number): Packet {
  const { packetId, entityId, timestamp, message } = past;
  return { index, packetId, entityId, timestamp, messageId: undefined, message, json: '' };
}

/** Matches that open before the period are known, not counted: patterns and matches reach into it. */
export function newFold({ draft, inForce, maintenance }: FoldRules, period: Period): Fold {
  const index = buildRuleIndex(inForce ? [draft, inForce] : [draft]);
  const tallies = new Map<string, Tally>();
  for (const rule of inForce ? [draft, inForce] : [draft]) tallies.set(rule.ruleId, newTally(rule.rule, period));
  const pasts = new Map<string, EntityPast>();
  const difference = { same: 0, added: 0, removed: 0 };
  const counts = (at: number) => at >= period.from && at < period.to;

  function end(past: PastMatch): void {
    if (!counts(past.firstMatch)) return;
    const held = past.suppressed === 'late' || maintenanceAt(maintenance, past.entity, past.match.expires);
    tallies.get(past.match.ruleId)?.ended(past, held);
  }

  /** The expiry closes them as their time comes, whatever the time of the packets that follow. */
  function expire(open: Map<string, PastMatch>, now: number): void {
    for (const [key, past] of open) {
      if (past.match.expires > now) continue;
      open.delete(key);
      end(past);
    }
  }

  /** Whether the other rule opened a match with the same packet. */
  function compare(opened: readonly PastMatch[]): void {
    if (!inForce) return;
    for (const one of opened) {
      one.inBoth = opened.some((other) => other.match.ruleId !== one.match.ruleId && other.firstMatch === one.firstMatch);
      if (!counts(one.firstMatch)) continue;
      if (one.match.ruleId !== draft.ruleId) difference.removed += one.inBoth ? 0 : 1;
      else if (one.inBoth) difference.same += 1;
      else difference.added += 1;
    }
  }

  function apply({ entity, open }: EntityPast, decision: Decision): void {
    for (const match of decision.ended) {
      const key = matchKey(match.ruleId, match.subjectId);
      const past = open.get(key);
      open.delete(key);
      if (past) end(past);
    }
    const opened = decision.opened.map((made) => {
      const { firstMatch, suppressed, closed, ruleMatchId, ruleId, tenantId, subjectId } = made;
      const { expires, lastMatch, matchCount, inMaintenance } = made;
      const match: OpenMatch = { ruleMatchId, ruleId, tenantId, subjectId, expires, lastMatch, matchCount, inMaintenance };
      const past: PastMatch = { entity, firstMatch, match, suppressed, inBoth: null };
      return { closed, past };
    });
    compare(opened.map(({ past }) => past));
    for (const { past, closed } of opened) {
      if (counts(past.firstMatch)) tallies.get(past.match.ruleId)?.opened(past);
      if (closed === undefined) open.set(matchKey(past.match.ruleId, entity.id), past);
      else end(past);
    }
  }

  function flush(past: EntityPast): void {
    const packets = past.pending;
    const received = packets[0]?.received;
    if (received === undefined) return;
    past.pending = [];
    const { newest, state, hits, notes } = evaluateEntity(index, past.entity, past.latest, packets.map(asPacket));
    if (newest) past.latest = { timestamp: newest.timestamp, packetId: newest.packetId, state: state ?? past.latest?.state ?? {} };
    for (const note of notes)
      if (note.outcome === 'failed' && counts(note.packet.timestamp))
        tallies.get(note.rule.ruleId)?.failed(String((note.detail as { error?: unknown }).error));
    if (past.open.size > 0) expire(past.open, received);
    if (hits.length === 0) return;
    const before = new Map<string, OpenMatch>([...past.open].map(([key, { match }]) => [key, match]));
    const held = (hit: Hit) => maintenanceAt(maintenance, hit.entity, hit.packet.timestamp);
    apply(past, decideMatches(hits, before, held, received));
  }

  return {
    take(entity, packets) {
      let past = pasts.get(entity.id);
      if (!past) pasts.set(entity.id, (past = { entity, latest: undefined, open: new Map(), pending: [] }));
      for (const packet of packets) {
        if (past.pending[0]?.received !== packet.received) flush(past);
        past.pending.push(packet);
      }
    },
    finish() {
      for (const past of pasts.values()) {
        flush(past);
        expire(past.open, period.to);
      }
      const outcome = (ruleId: string | undefined) => (ruleId === undefined ? undefined : tallies.get(ruleId)?.outcome());
      const ofDraft = outcome(draft.ruleId);
      if (!ofDraft) throw new Error('The draft is not counted.');
      return { draft: ofDraft, inForce: outcome(inForce?.ruleId) ?? null, difference: inForce ? difference : null };
    },
  };
}
