/** What the matches of a backtest cause: work units, after adding and grouping, and calls by day. Pure. */
import type { BacktestLoad } from '@cloudfit/contract/actions/backtest.ts';
import { builtInAction, type recurrences } from '@cloudfit/contract/enums.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import type { Entity } from '../run/entity.ts';
import { StormBrake } from '../../automation/groups/storm-brake.ts';

/** How matches that share a key become one group, with one unit and one call. */
export interface GroupCourse {
  /** What the matches of one group share; undefined for a rule that groups its matches only in a storm. */
  keyOf: ((entity: Entity) => string) | undefined;
  /** The number of new matches in a minute above which a rule that does not group puts further matches into one group. */
  stormLimit: number;
  /** A match joins the group if it begins at most this long after the group's latest match. */
  windowMs: number;
  /** The minimum time between two summaries. */
  summaryMs: number;
  /** The end of the backtest's period. */
  until: number;
}

/** The assumptions about the work units of a rule. */
export interface UnitCourse {
  recurrence: (typeof recurrences)[number];
  reopenMs: number;
  /** The time from opening to resolution of a unit that the rule does not resolve itself. */
  resolvedAfterMs: number;
  groups: GroupCourse;
  /**
   * Returns the times of the protocol's steps for a unit that is not acknowledged before it is resolved, without changes of
   * colour; undefined without a protocol.
   */
  stepsOf: ((opened: number, resolved: number) => readonly number[]) | undefined;
}

/** A match whose actions run. Times are epoch milliseconds. */
export interface ActingMatch {
  entity: Entity;
  firstMatch: number;
  ended: number;
  /** Whether the expiration actions of the match run. */
  endActs: boolean;
}

interface UnitLife {
  opened: number;
  resolved: number;
}

/** Built-in actions that contact nobody, because they change units and colours. */
const silentActions: readonly string[] = [
  builtInAction.setColor,
  builtInAction.createWorkUnit,
  builtInAction.resolveWorkUnit,
  builtInAction.changeWorkUnit,
];
const builtIn: ReadonlySet<string> = new Set(Object.values(builtInAction));
const callsIn = (actions: readonly ActionCall[]): number =>
  actions.filter((action) => !silentActions.includes(action.ActionDefinitionId)).length;
/** The number of mails and calls of endpoints, which a summary repeats. */
const messagesIn = (actions: readonly ActionCall[]): number =>
  actions.filter(({ ActionDefinitionId: id }) => id === builtInAction.email || !builtIn.has(id)).length;
const has = (actions: readonly ActionCall[], id: string): boolean => actions.some((action) => action.ActionDefinitionId === id);

/** The maximum number of units whose protocol is simulated. */
const maxSimulated = 2_000;

interface PastGroup {
  /** When the latest match joined, and whether the expiration actions of the first match run. */
  lastJoined: number;
  firstEndActs: boolean;
  open: number;
  summarised: number;
  /** When the next summary is due; undefined while no match has joined or ended since the last summary. */
  summaryDue: number | undefined;
  life: UnitLife | undefined;
}

/** Returns a function that gives the key of a match's group; undefined for a match that stays by itself. */
function newPlaces({ keyOf, stormLimit }: GroupCourse): (match: ActingMatch) => string | undefined {
  if (keyOf) return ({ entity }) => keyOf(entity);
  const brake = new StormBrake();
  return ({ firstMatch }) => (brake.isOver({ ruleId: 'rule', tenantId: 'tenant', limit: stormLimit }, firstMatch) ? 'storm' : undefined);
}

interface MatchMoment {
  at: number;
  match: ActingMatch;
  isEnd: boolean;
}

export function loadOf(
  matches: readonly ActingMatch[],
  { matchActions, expirationActions }: { matchActions: readonly ActionCall[]; expirationActions: readonly ActionCall[] },
  { recurrence, reopenMs, resolvedAfterMs, groups: course, stepsOf }: UnitCourse,
): BacktestLoad {
  const opens = has(matchActions, builtInAction.createWorkUnit);
  const resolves = has(expirationActions, builtInAction.resolveWorkUnit);
  const [matchCalls, endCalls, summaryCalls] = [callsIn(matchActions), callsIn(expirationActions), messagesIn(matchActions)];
  const days = new Map<string, { workUnits: number; calls: number }>();
  const lives: UnitLife[] = [];
  const latest = new Map<string, { life: UnitLife; lastEnd: number }>();
  const groups = new Map<string, PastGroup>();
  const groupOf = new Map<ActingMatch, PastGroup>();
  let [added, reopened, workUnits, summaries, braked] = [0, 0, 0, 0, 0];

  const note = (at: number, what: 'workUnits' | 'calls', count: number): void => {
    if (count === 0) return;
    const day = new Date(at).toISOString().slice(0, 10);
    const counts = days.get(day) ?? { workUnits: 0, calls: 0 };
    counts[what] += count;
    days.set(day, counts);
  };

  /**
   * Opens a unit, or reopens the latest unit or adds the match to it, and notes the calls that this causes; returns the unit.
   */
  const open = (match: ActingMatch, key: string): UnitLife | undefined => {
    const at = match.firstMatch;
    if (!opens) {
      note(at, 'calls', matchCalls);
      return undefined;
    }
    const unit = recurrence === 'New' ? undefined : latest.get(key);
    if (unit && at < unit.life.resolved) {
      added += 1;
      // Recipients who were told that the match ended are told that the fault continues.
      if (endCalls > 0 && unit.lastEnd <= at) note(at, 'calls', matchCalls);
      unit.lastEnd = Math.max(unit.lastEnd, match.ended);
      if (resolves) unit.life.resolved = Math.max(unit.life.resolved, match.ended);
      return unit.life;
    }
    note(at, 'calls', matchCalls);
    if (unit && recurrence === 'Reopen' && at - unit.life.resolved <= reopenMs) reopened += 1;
    else {
      workUnits += 1;
      note(at, 'workUnits', 1);
    }
    const life = { opened: at, resolved: resolves ? match.ended : at + resolvedAfterMs };
    lives.push(life);
    latest.set(key, { life, lastEnd: match.ended });
    return life;
  };

  /** Counts the summary that was due by a time. There is no summary of a resolved unit. */
  const sumUp = (group: PastGroup, before: number): void => {
    const { summaryDue: due, life } = group;
    if (due === undefined || due > before) return;
    if (summaryCalls > 0 && (!life || due < life.resolved)) {
      summaries += 1;
      note(due, 'calls', summaryCalls);
    }
    Object.assign(group, { summarised: due, summaryDue: undefined });
  };

  const join = (match: ActingMatch, key: string): void => {
    const at = match.firstMatch;
    let group = groups.get(key);
    if (group) sumUp(group, at);
    const takes = group && group.open > 0 && at - group.lastJoined <= course.windowMs && (!group.life || at < group.life.resolved);
    if (!group || !takes) {
      const life = open(match, key);
      group = {
        lastJoined: at,
        firstEndActs: match.endActs,
        open: 0,
        summarised: at,
        summaryDue: undefined,
        life,
      };
      groups.set(key, group);
    } else {
      if (opens) added += 1;
      const unit = latest.get(key);
      if (unit) unit.lastEnd = Math.max(unit.lastEnd, match.ended);
      if (resolves && group.life) group.life.resolved = Math.max(group.life.resolved, match.ended);
      group.lastJoined = at;
      group.summaryDue = Math.max(at, group.summarised + course.summaryMs);
    }
    group.open += 1;
    groupOf.set(match, group);
  };

  const leave = (match: ActingMatch, group: PastGroup): void => {
    const at = match.ended;
    sumUp(group, at);
    group.open -= 1;
    if (group.open > 0) group.summaryDue = Math.max(at, group.summarised + course.summaryMs);
    else {
      // The report of the group's end replaces the summary.
      group.summaryDue = undefined;
      if (group.firstEndActs) note(at, 'calls', endCalls);
    }
  };

  const placeOf = newPlaces(course);
  const turns = matches
    .flatMap((match): MatchMoment[] => [
      { at: match.firstMatch, match, isEnd: false },
      { at: match.ended, match, isEnd: true },
    ])
    .toSorted((a, b) => a.at - b.at || Number(a.isEnd) - Number(b.isEnd));
  for (const { match, isEnd } of turns) {
    const group = groupOf.get(match);
    if (isEnd && group) {
      if (match.ended < course.until) leave(match, group);
    } else if (isEnd) {
      if (match.endActs) note(match.ended, 'calls', endCalls);
    } else {
      const key = placeOf(match);
      if (key === 'storm') braked += 1;
      if (key === undefined) open(match, match.entity.id);
      else join(match, key);
    }
  }
  for (const group of new Set(groupOf.values())) sumUp(group, course.until);

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
    summaries,
    braked,
    simulated: stepsOf ? Math.min(lives.length, maxSimulated) : 0,
    days: [...days].map(([day, counts]) => ({ day, ...counts })).toSorted((a, b) => a.day.localeCompare(b.day)),
  };
}
