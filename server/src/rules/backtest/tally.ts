/** Counts the consequences of one rule's matches and lists the newest matches. */
import type { BacktestMatch, BacktestOutcome } from '@cloudfit/contract/actions/backtest.ts';
import { backtestLimits } from '@cloudfit/contract/limits.ts';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import type { Phase } from '../../executions/execution-id.ts';
import type { NotRun } from '../decide-matches.ts';
import type { IngestRule } from '../compiled-rules.ts';
import type { OpenMatch } from '../decide-matches.ts';
import type { Entity } from '../entities.ts';
import { iso } from '../history/past-packets.ts';
import { loadOf, type ActingMatch, type UnitCourse } from './units.ts';

/** A backtest sums nothing up. */
type RunPhase = Exclude<Phase, 'summary'>;

export interface Period {
  from: number;
  to: number;
}

/** A match of the past. `match` changes while it is open. */
export interface PastMatch {
  entity: Entity;
  firstMatch: number;
  match: OpenMatch;
  suppressed: NotRun | undefined;
  inBoth: boolean | null;
}

interface Actions {
  run: number;
  suppressed: number;
}

export interface Tally {
  opened(match: PastMatch): void;
  ended(match: PastMatch, suppressed: boolean): void;
  /** A match that had been over when it was opened lasts longer: its actions run. */
  revived(match: PastMatch): void;
  failed(error: string): void;
  outcome(): BacktestOutcome;
}

function listed({ entity, firstMatch, match, suppressed, inBoth }: PastMatch): BacktestMatch {
  return {
    entityId: entity.id,
    entityName: entity.name,
    firstMatch: iso(firstMatch),
    lastMatch: iso(match.lastMatch),
    expires: iso(match.expires),
    matchCount: match.matchCount,
    inMaintenance: match.inMaintenance,
    suppressed: suppressed ?? null,
    inBoth,
  };
}

/** `course`: how units go on; without it they are not added up. */
export function newTally(rule: IngestRule, { from, to }: Period, course?: UnitCourse): Tally {
  const width = Math.max(1, Math.ceil((to - from) / backtestLimits.buckets));
  const timeline = Array.from({ length: Math.ceil((to - from) / width) }, () => 0);
  const entities = new Map<string, { entityName: string; matches: number; last: number }>();
  const actions = new Map<string, Actions>();
  const newest: PastMatch[] = [];
  /** Matches whose actions run, and those of them whose expiration actions do not. */
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
    // An open match opens at most one unit; each expiration call opens another.
    workUnits += phase === 'match' ? Math.min(1, opening) : opening;
  }

  function dropOldest(): void {
    newest.sort((a, b) => a.firstMatch - b.firstMatch);
    newest.splice(0, newest.length - backtestLimits.listed);
  }

  const actingMatches = (): ActingMatch[] =>
    [...acting].map((past) => {
      const { entity, firstMatch, match } = past;
      return { entity, firstMatch, ended: match.expires, endActs: match.expires < to && !endsSilently.has(past) };
    });

  return {
    opened(match) {
      matches += 1;
      const { id, name: entityName } = match.entity;
      const counted = entities.get(id);
      entities.set(id, { entityName, matches: (counted?.matches ?? 0) + 1, last: Math.max(counted?.last ?? 0, match.firstMatch) });
      const bucket = Math.floor((match.firstMatch - from) / width);
      timeline[bucket] = (timeline[bucket] ?? 0) + 1;
      // Matches come device by device, so the newest are found at the end; sorted seldom, so that this costs little.
      if (newest.push(match) >= backtestLimits.listed * 2) dropOldest();
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
      dropOldest();
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
        list: newest.map(listed),
        truncated: matches > newest.length,
      };
    },
  };
}
