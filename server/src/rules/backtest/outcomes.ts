/** Turns hits of the past into matches that open, repeat and end, and counts them per rule. */
import type { BacktestResult } from '@cloudfit/contract/actions/backtest.ts';
import { compileRule, type CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import type { ExplanationWords } from '@cloudfit/contract/rules/rule-words.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import { recoveryOf } from '../run/compiled-rules.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import { decideMatches, matchKey, type Decision, type OpenMatch } from '../run/decide-matches.ts';
import type { Entity } from '../run/entity.ts';
import type { RuleHit, EvaluationNote } from '../run/evaluate-entity.ts';
import { withoutQuiet } from '../run/evaluate-subjects.ts';
import { isHeldAt } from '../run/maintenance/maintenance.ts';
import { indexWindows, type WindowIndex } from '../run/maintenance/maintenance-windows.ts';
import type { Period } from '../past/past-packets.ts';
import { newTally, type PastMatch } from './tally.ts';
import type { UnitCourse } from './units.ts';

/** The draft, the saved rule to compare with, and the maintenance that suppresses actions. */
export interface TriedRules {
  draft: CompiledRule<IngestRule>;
  inForce: CompiledRule<IngestRule> | undefined;
  maintenance: RuleIndex<IngestRule>;
  /** The maintenance windows of the period; by default none. */
  windows?: WindowIndex;
  /** The assumed course of the work units that each of the two rules opens. */
  /** The words of the result; English by default. */
  words?: ExplanationWords | undefined;
  courses?: { draft: UnitCourse; inForce: UnitCourse | undefined } | undefined;
}

export const triedOf = ({ draft, inForce }: Pick<TriedRules, 'draft' | 'inForce'>) => (inForce ? [draft, inForce] : [draft]);

/** Returns the rules, followed by a rule for the recovery conditions of each rule that has recovery conditions. */
export function withRecoveries(rules: readonly CompiledRule<IngestRule>[]): CompiledRule<IngestRule>[] {
  return [...rules, ...rules.flatMap(({ rule }) => recoveryOf(rule) ?? []).map((rule) => compileRule(rule))];
}

type QuietMs = (rule: IngestRule) => number;

export interface Outcomes {
  /** Takes the hits and notes of one subject, in order of time. A hit within `quietMs` of the previous one is not a repeat. */
  take(entity: Entity, what: { hits: readonly RuleHit[]; notes: readonly EvaluationNote[] }, now: number, quietMs?: QuietMs): void;
  /** Returns when the first of the entity's open matches expires, or can be repeated again after `quietMs`. */
  dueAfter(entity: Entity, now: number, quietMs: QuietMs): number;
  /** The matches of the entity that have not ended yet. */
  openMatches(entity: Entity): PastMatch[];
  /** Closes the matches that expired by the end of the period and returns the result. */
  finish(): Pick<BacktestResult, 'draft' | 'inForce' | 'difference'>;
}

/** Counts matches. Matches that opened before the period take part, but are not counted. */
export function newOutcomes(
  { draft, inForce, maintenance, windows = indexWindows([]), courses, words }: TriedRules,
  period: Period,
): Outcomes {
  const compares = inForce !== undefined;
  const tally = newTally(draft.rule, period, { course: courses?.draft, compares, words });
  const tallies = new Map([[draft.ruleId, tally]]);
  if (inForce) tallies.set(inForce.ruleId, newTally(inForce.rule, period, { course: courses?.inForce, compares, words }));
  const openOf = new Map<string, Map<string, PastMatch>>();
  /** The last match that has ended, by entity and key. A late packet may still count in it. */
  const overOf = new Map<string, Map<string, PastMatch>>();
  const difference = { same: 0, added: 0, removed: 0 };
  /** What an approved change expects of the saved rule, it expects of the draft too. */
  const isHeld = (entity: Entity, at: number, { ruleId }: { ruleId: string }) =>
    isHeldAt({ rules: maintenance, windows }, entity, at, inForce?.ruleId ?? ruleId, ruleId === inForce?.ruleId ? inForce : draft);
  const counts = (at: number) => at >= period.from && at < period.to;

  function end(past: PastMatch, late: boolean): void {
    past.match.over = { closed: past.match.expires, late };
    let over = overOf.get(past.entity.id);
    if (!over) overOf.set(past.entity.id, (over = new Map()));
    over.set(matchKey(past.match.ruleId, past.entity.id), past);
    if (!counts(past.firstMatch)) return;
    const isSuppressed = past.suppressed === 'late' || isHeld(past.entity, past.match.expires, past.match);
    tallies.get(past.match.ruleId)?.ended(past, isSuppressed);
  }

  /** Closes expired matches as of the time of their expiry. */
  function expire(open: Map<string, PastMatch>, now: number): void {
    for (const [key, past] of open) {
      if (past.match.expires > now) continue;
      open.delete(key);
      end(past, false);
    }
  }

  /** Records for each opened match whether the other rule opened a match at the same time, and counts the differences. */
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

  function apply(entity: Entity, open: Map<string, PastMatch>, decision: Decision): void {
    for (const match of decision.ended) {
      const key = matchKey(match.ruleId, match.subjectId);
      const past = open.get(key);
      open.delete(key);
      if (past) end(past, false);
    }
    for (const { match, suppressed } of decision.revived) {
      const key = matchKey(match.ruleId, match.subjectId);
      const past = overOf.get(entity.id)?.get(key);
      if (!past) continue;
      overOf.get(entity.id)?.delete(key);
      delete match.over;
      past.suppressed = suppressed;
      if (counts(past.firstMatch)) tallies.get(match.ruleId)?.revived(past);
      if (!decision.ended.includes(match)) open.set(key, past);
    }
    const opened = decision.opened.map((newMatch) => {
      const { firstMatch, suppressed, closed, ruleMatchId, ruleId, tenantId, subjectId } = newMatch;
      const { expires, lastMatch, matchCount, inMaintenance, recovered } = newMatch;
      const times = { firstMatch, expires, lastMatch, ...(recovered === undefined ? {} : { recovered }) };
      const match: OpenMatch = { ruleMatchId, ruleId, tenantId, subjectId, ...times, matchCount, inMaintenance };
      const past: PastMatch = { entity, firstMatch, match, suppressed, inBoth: null, isBySilence: newMatch.hit.isSilence === true };
      return { closed, past, hit: newMatch.hit };
    });
    compare(opened.map(({ past }) => past));
    for (const { past, closed, hit } of opened) {
      if (counts(past.firstMatch)) tallies.get(past.match.ruleId)?.opened(past, hit);
      if (closed === undefined) open.set(matchKey(past.match.ruleId, entity.id), past);
      else end(past, true);
    }
  }

  return {
    take(entity, { hits, notes }, now, quietMs) {
      for (const note of notes)
        if (note.outcome === 'failed' && counts(note.packet.timestamp))
          tallies.get(note.rule.ruleId)?.failed(String((note.detail as { error?: unknown }).error));
      let open = openOf.get(entity.id);
      if (open) expire(open, now);
      if (hits.length === 0) return;
      if (!open) openOf.set(entity.id, (open = new Map()));
      const before = new Map<string, OpenMatch>([...(overOf.get(entity.id) ?? []), ...open].map(([key, { match }]) => [key, match]));
      const fresh = quietMs === undefined ? hits : withoutQuiet(hits, before, quietMs);
      const isSuppressed = (hit: RuleHit) => isHeld(hit.entity, hit.packet.timestamp, hit.rule);
      apply(entity, open, decideMatches(fresh, before, isSuppressed, now));
    },
    dueAfter(entity, now, quietMs) {
      const open = [...(openOf.get(entity.id)?.values() ?? [])];
      const quietOf = ({ ruleId }: OpenMatch) => quietMs(inForce?.ruleId === ruleId ? inForce.rule : draft.rule);
      return Math.min(...open.flatMap(({ match }) => [match.lastMatch + quietOf(match), match.expires]).filter((at) => at > now));
    },
    openMatches: (entity) => [...(openOf.get(entity.id)?.values() ?? [])],
    finish() {
      for (const open of openOf.values()) expire(open, period.to);
      const ofInForce = inForce && tallies.get(inForce.ruleId)?.outcome();
      return { draft: tally.outcome(), inForce: ofInForce ?? null, difference: inForce ? difference : null };
    },
  };
}
