/** Counts the consequences of one rule's matches and lists the newest matches. */
import type { BacktestMatch, BacktestOutcome } from '@cloudfit/contract/actions/backtest.ts';
import { backtestLimits } from '@cloudfit/contract/limits.ts';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import type { Phase } from '../../executions/execution-id.ts';
import { comparisonsInWords } from '@cloudfit/contract/rules/satisfied-in-words.ts';
import type { Trace } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import type { RuleWords } from '@cloudfit/contract/rules/rule-words.ts';
import { englishWords } from '../../platform/rule-words.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import { explainHit, type SuppressionReason, type OpenMatch } from '../run/decide-matches.ts';
import type { Entity } from '../run/entity.ts';
import type { RuleHit } from '../run/evaluate-entity.ts';
import { iso, type Period } from '../past/past-packets.ts';
import { loadOf, type ActingMatch, type UnitCourse } from './units.ts';

/** The phases of actions that a backtest counts. A backtest sends no summaries. */
type RunPhase = Exclude<Phase, 'summary'>;

/** A match of the past. `match` changes while the match is open. */
export interface PastMatch {
  entity: Entity;
  firstMatch: number;
  match: OpenMatch;
  suppressed: SuppressionReason | undefined;
  inBoth: boolean | null;
  /** Whether silence opened it, instead of a packet. */
  isBySilence: boolean;
}

interface Actions {
  run: number;
  suppressed: number;
}

export interface Tally {
  /** Called when a match opens, with the hit that opened it. */
  opened(match: PastMatch, hit: RuleHit): void;
  ended(match: PastMatch, suppressed: boolean): void;
  /** Called when a later hit extends a match that was already over when it opened, so that its actions run. */
  revived(match: PastMatch): void;
  failed(error: string): void;
  outcome(): BacktestOutcome;
}

/** A match with the hit that opened it. The hit is stored for the listed matches only, because it holds the whole packet. */
interface OpenedMatch {
  past: PastMatch;
  hit: RuleHit;
}

/**
 * Collects the newest matches. Matches arrive device by device, so the newest are known only at the end. The list is sorted
 * only when it has twice the listed number, which keeps additions cheap.
 */
class NewestMatches {
  readonly #opened: OpenedMatch[] = [];

  add(openedMatch: OpenedMatch): void {
    if (this.#opened.push(openedMatch) >= backtestLimits.listed * 2) this.#dropOldest();
  }

  #dropOldest(): void {
    this.#opened.sort((a, b) => a.past.firstMatch - b.past.firstMatch);
    this.#opened.splice(0, this.#opened.length - backtestLimits.listed);
  }

  listed(words: RuleWords): BacktestMatch[] {
    this.#dropOldest();
    return this.#opened.map((match) => listed(match, words));
  }
}

function listed({ past: { entity, match, suppressed, inBoth }, hit }: OpenedMatch, words: RuleWords): BacktestMatch {
  return {
    entityId: entity.id,
    entityName: entity.name,
    // A packet out of order may have begun it earlier.
    firstMatch: iso(match.firstMatch),
    lastMatch: iso(match.lastMatch),
    expires: iso(match.expires),
    matchCount: match.matchCount,
    inMaintenance: match.inMaintenance,
    suppressed: suppressed ?? null,
    inBoth,
    values: comparisonsInWords(hit.rule.rule.conditions, explainHit(hit) as Trace, words),
  };
}

interface TallyOptions {
  /** The simulation of work units; without it no units are counted. */
  course?: UnitCourse | undefined;
  /** Whether the matches are compared with those of another rule. */
  compares?: boolean;
  words?: RuleWords | undefined;
}

export function newTally(
  rule: IngestRule,
  { from, to }: Period,
  { course, compares = false, words = englishWords }: TallyOptions = {},
): Tally {
  const width = Math.max(1, Math.ceil((to - from) / backtestLimits.buckets));
  const timeline = Array.from({ length: Math.ceil((to - from) / width) }, () => 0);
  const entities = new Map<string, { entityName: string; matches: number; last: number }>();
  const actions = new Map<string, Actions>();
  const newest = new NewestMatches();
  const differing = new NewestMatches();
  /** `acting`: the matches whose actions run. `endsSilently`: the matches whose expiration actions do not run. */
  const acting = new Set<PastMatch>();
  const endsSilently = new Set<PastMatch>();
  let matches = 0;
  let workUnits = 0;
  let failed = 0;
  let error: string | null = null;

  function act(phase: RunPhase, suppressed: boolean, by = 1): void {
    const calls = phase === 'match' ? rule.matchActions : rule.expirationActions;
    for (const { ActionDefinitionId } of calls) {
      const key = `${phase} ${ActionDefinitionId}`;
      const one = actions.get(key) ?? { run: 0, suppressed: 0 };
      actions.set(key, one);
      one[suppressed ? 'suppressed' : 'run'] += by;
    }
    const opening = suppressed ? 0 : calls.filter((call) => call.ActionDefinitionId === builtInAction.createWorkUnit).length;
    // An open match opens at most one unit; each expiration call opens another one.
    workUnits += phase === 'match' ? Math.min(1, opening) : opening;
  }

  const actingMatches = (): ActingMatch[] =>
    [...acting].map((past) => {
      const { entity, firstMatch, match } = past;
      return { entity, firstMatch, ended: match.expires, endActs: match.expires < to && !endsSilently.has(past) };
    });

  return {
    opened(match, hit) {
      matches += 1;
      const { id, name: entityName } = match.entity;
      const counted = entities.get(id);
      entities.set(id, { entityName, matches: (counted?.matches ?? 0) + 1, last: Math.max(counted?.last ?? 0, match.firstMatch) });
      const bucket = Math.floor((match.firstMatch - from) / width);
      timeline[bucket] = (timeline[bucket] ?? 0) + 1;
      newest.add({ past: match, hit });
      if (match.inBoth === false) differing.add({ past: match, hit });
      act('match', match.suppressed !== undefined);
      if (course && match.suppressed === undefined && acting.size <= backtestLimits.addedUp) acting.add(match);
    },
    ended(match, suppressed) {
      act('expiration', suppressed);
      if (suppressed) endsSilently.add(match);
    },
    revived(match) {
      const { suppressed } = match;
      endsSilently.delete(match);
      if (course && suppressed === undefined) acting.add(match);
      act('match', true, -1);
      act('expiration', true, -1);
      act('match', suppressed !== undefined);
    },
    failed(message) {
      failed += 1;
      error ??= message;
    },
    outcome: () => {
      const list = newest.listed(words);
      return {
        matches,
        entities: entities.size,
        timeline: timeline.map((count, i) => ({ from: iso(from + i * width), matches: count })),
        actions: [...actions].map(([key, counts]) => {
          const [phase = '', actionDefinitionId = ''] = key.split(' ');
          return { actionDefinitionId, phase: phase as RunPhase, ...counts };
        }),
        workUnits,
        load: course && acting.size <= backtestLimits.addedUp ? loadOf(actingMatches(), rule, course) : null,
        failed,
        error,
        byEntity: [...entities]
          .toSorted(([, a], [, b]) => b.matches - a.matches || b.last - a.last)
          .slice(0, backtestLimits.ranked)
          .map(([entityId, { last, ...counted }]) => ({ entityId, ...counted, last: iso(last) })),
        list,
        truncated: matches > list.length,
        ...(compares ? { differing: differing.listed(words) } : {}),
      };
    },
  };
}
