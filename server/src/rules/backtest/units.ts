/** What the matches of a backtest come to: work units after adding and grouping, and the calls of rule and protocol by day. Pure. */
import type { BacktestLoad } from '@cloudfit/contract/actions/backtest.ts';
import { builtInAction, type recurrences } from '@cloudfit/contract/enums.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import type { Entity } from '../entities.ts';

/** How the units of a rule go on. */
export interface UnitCourse {
  recurrence: (typeof recurrences)[number];
  reopenMs: number;
  /** How long after its opening a unit is resolved that the rule does not resolve itself. */
  resolvedAfterMs: number;
  /** What the matches of one unit share. */
  keyOf: (entity: Entity) => string;
  /** The times of the calls that the protocol makes for a unit which nobody acknowledges before it is resolved. */
  stepsOf: ((opened: number, resolved: number) => readonly number[]) | undefined;
}

/** A match of which actions run. Times are epoch milliseconds. */
export interface ActingMatch {
  entity: Entity;
  firstMatch: number;
  ended: number;
  /** Whether its expiration actions run. */
  endActs: boolean;
}

interface UnitLife {
  opened: number;
  resolved: number;
}

/** Actions that change units and colours call nobody. */
const silent: readonly string[] = [
  builtInAction.setColor,
  builtInAction.createWorkUnit,
  builtInAction.resolveWorkUnit,
  builtInAction.changeWorkUnit,
];
const callsIn = (actions: readonly ActionCall[]): number => actions.filter((one) => !silent.includes(one.ActionDefinitionId)).length;
const has = (actions: readonly ActionCall[], id: string): boolean => actions.some((one) => one.ActionDefinitionId === id);

/** The maximum number of units whose protocol is simulated. */
const maxSimulated = 2_000;

export function loadOf(
  matches: readonly ActingMatch[],
  { matchActions, expirationActions }: { matchActions: readonly ActionCall[]; expirationActions: readonly ActionCall[] },
  { recurrence, reopenMs, resolvedAfterMs, keyOf, stepsOf }: UnitCourse,
): BacktestLoad {
  const opens = has(matchActions, builtInAction.createWorkUnit);
  const resolves = has(expirationActions, builtInAction.resolveWorkUnit);
  const [matchCalls, endCalls] = [callsIn(matchActions), callsIn(expirationActions)];
  const days = new Map<string, { workUnits: number; calls: number }>();
  const lives: UnitLife[] = [];
  const latest = new Map<string, { life: UnitLife; lastEnd: number }>();
  let [added, reopened, workUnits] = [0, 0, 0];

  const note = (at: number, what: 'workUnits' | 'calls', count: number): void => {
    if (count === 0) return;
    const day = new Date(at).toISOString().slice(0, 10);
    const counts = days.get(day) ?? { workUnits: 0, calls: 0 };
    counts[what] += count;
    days.set(day, counts);
  };
  const begin = (match: ActingMatch, key: string): void => {
    const life = { opened: match.firstMatch, resolved: resolves ? match.ended : match.firstMatch + resolvedAfterMs };
    lives.push(life);
    latest.set(key, { life, lastEnd: match.ended });
  };

  for (const match of matches.toSorted((a, b) => a.firstMatch - b.firstMatch)) {
    const at = match.firstMatch;
    if (match.endActs) note(match.ended, 'calls', endCalls);
    if (!opens) {
      note(at, 'calls', matchCalls);
      continue;
    }
    const key = keyOf(match.entity);
    const unit = recurrence === 'New' ? undefined : latest.get(key);
    if (unit && at < unit.life.resolved) {
      added += 1;
      // Whoever was told of the end is told that it goes on.
      if (endCalls > 0 && unit.lastEnd <= at) note(at, 'calls', matchCalls);
      unit.lastEnd = Math.max(unit.lastEnd, match.ended);
      if (resolves) unit.life.resolved = Math.max(unit.life.resolved, match.ended);
      continue;
    }
    note(at, 'calls', matchCalls);
    if (unit && recurrence === 'Reopen' && at - unit.life.resolved <= reopenMs) reopened += 1;
    else {
      workUnits += 1;
      note(at, 'workUnits', 1);
    }
    begin(match, key);
  }

  let steps = 0;
  for (const { opened, resolved } of stepsOf ? lives.slice(0, maxSimulated) : [])
    for (const at of stepsOf?.(opened, resolved) ?? []) {
      steps += 1;
      note(at, 'calls', 1);
    }
  return {
    workUnits,
    added,
    reopened,
    calls: [...days.values()].reduce((sum, { calls }) => sum + calls, 0),
    steps,
    simulated: stepsOf ? Math.min(lives.length, maxSimulated) : 0,
    days: [...days].map(([day, counts]) => ({ day, ...counts })).toSorted((a, b) => (a.day < b.day ? -1 : 1)),
  };
}
