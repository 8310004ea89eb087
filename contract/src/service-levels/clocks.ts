/** The clocks of a work unit: what its service level promises, how much of that time has passed, and when it was kept or not. Pure. */
import { openStates, type WorkUnitState } from '../enums.ts';
import { minuteMs } from '../durations.ts';
import { afterWorking, workedMs, type WorkingHours } from './working-time.ts';

/** What a service level promises: to acknowledge, to answer the customer first, to resolve, and to tell the customer again. */
export const clockKinds = ['Acknowledge', 'FirstAnswer', 'Resolve', 'NextUpdate'] as const;
export type ClockKind = (typeof clockKinds)[number];

/**
 * Breached: its due time has passed; it still runs, or ended late. Canceled: the unit was canceled. Replaced: another level, or none, holds
 * for the unit since then. `breached` says of these, too, whether their time was over.
 */
export const clockStates = ['Running', 'Paused', 'Met', 'Breached', 'Canceled', 'Replaced'] as const;
export type ClockState = (typeof clockStates)[number];

/** The terms of a service level when a clock began; later changes of the level do not touch them. */
export interface ClockTerms {
  serviceLevelId: string;
  levelName: string;
  targetMinutes: number;
  /** The share of the target, in percent, after which the clock warns. */
  warnPercent: number;
  pausesOnHold: boolean;
  /** Null: all time counts. */
  calendar: WorkingHours | null;
}

/** A time in which a clock ran; `to` is null while it runs. */
export interface ClockPeriod {
  from: number;
  to: number | null;
}

/** Times are epoch milliseconds. */
export interface UnitClock extends ClockTerms {
  kind: ClockKind;
  state: ClockState;
  started: number;
  ended: number | null;
  /** Working time that an earlier clock of the unit brought along. */
  carriedMs: number;
  periods: readonly ClockPeriod[];
  warned: number | null;
  breached: number | null;
}

export interface LevelInForce {
  serviceLevelId: string;
  levelName: string;
  warnPercent: number;
  pausesOnHold: boolean;
  calendar: WorkingHours | null;
  /** Kinds without a target have no clock. */
  targetMinutes: Readonly<Partial<Record<ClockKind, number>>>;
}

/** Something that happens to a unit and that its clocks follow. */
export interface ClockEvent {
  at: number;
  /** The state before; null for a new unit. */
  before: WorkUnitState | null;
  after: WorkUnitState;
  /** Whether the customer is answered at this moment. */
  isAnswer: boolean;
  /** Whether the customer had an answer before it. */
  wasAnswered: boolean;
  /** Whether a field by which the level is chosen has changed. */
  choosesLevel: boolean;
}

/** Returns the working time that has passed on a clock at an instant, in milliseconds. */
export function elapsedMs({ carriedMs, periods, calendar }: Pick<UnitClock, 'carriedMs' | 'periods' | 'calendar'>, at: number): number {
  return periods.reduce((sum, { from, to }) => sum + workedMs(calendar, from, Math.min(to ?? at, at)), carriedMs);
}

export const targetMs = ({ targetMinutes }: Pick<UnitClock, 'targetMinutes'>): number => targetMinutes * minuteMs;

export const isRunning = ({ ended, periods }: Pick<UnitClock, 'ended' | 'periods'>): boolean =>
  ended === null && periods.at(-1)?.to === null;

/** Returns when this much working time will have passed on a running clock, as long as nothing changes; null if it is paused. */
function passedAt(clock: UnitClock, ms: number): number | null {
  const last = clock.periods.at(-1);
  if (!isRunning(clock) || !last) return null;
  return afterWorking(clock.calendar, last.from, ms - elapsedMs(clock, last.from));
}

export interface ClockTimes {
  warnAt: number | null;
  dueAt: number | null;
}

/** Returns when a running clock warns, and when its time is over. */
export function timesOf(clock: UnitClock): ClockTimes {
  return {
    warnAt: clock.warned ?? passedAt(clock, (targetMs(clock) * clock.warnPercent) / 100),
    dueAt: clock.breached ?? passedAt(clock, targetMs(clock)),
  };
}

/** Records a warning and a breach that have happened by an instant. */
export function settled(clock: UnitClock, at: number): UnitClock {
  if (clock.ended !== null || (clock.warned !== null && clock.breached !== null)) return clock;
  const { warnAt, dueAt } = timesOf(clock);
  const warned = warnAt !== null && warnAt <= at ? warnAt : null;
  const breached = dueAt !== null && dueAt <= at ? dueAt : null;
  if (warned === clock.warned && breached === clock.breached) return clock;
  return { ...clock, warned, breached, state: breached === null ? clock.state : 'Breached' };
}

const closed = (periods: readonly ClockPeriod[], at: number): ClockPeriod[] =>
  // A clock that pauses in the moment in which it began has not run.
  periods.map(({ from, to }) => ({ from, to: to ?? at })).filter(({ from, to }) => to > from);

function endedClock(clock: UnitClock, at: number, state: 'Met' | 'Canceled' | 'Replaced'): UnitClock {
  const isLate = state === 'Met' && clock.breached !== null;
  return { ...clock, ended: at, periods: closed(clock.periods, at), state: isLate ? 'Breached' : state };
}

/** Pauses the clock while the unit is on hold, and lets it run otherwise. */
function onHold(clock: UnitClock, at: number, isOnHold: boolean): UnitClock {
  const isPaused = isOnHold && clock.pausesOnHold;
  if (isPaused === !isRunning(clock)) return clock;
  const periods = isPaused ? closed(clock.periods, at) : [...clock.periods, { from: at, to: null }];
  return { ...clock, periods, state: clock.breached === null ? (isPaused ? 'Paused' : 'Running') : 'Breached' };
}

function newClock(kind: ClockKind, level: LevelInForce, at: number, carriedMs: number): UnitClock | undefined {
  const { targetMinutes, ...terms } = level;
  const minutes = targetMinutes[kind];
  if (minutes === undefined) return undefined;
  const clock = { ...terms, kind, targetMinutes: minutes, carriedMs, started: at, ended: null, warned: null, breached: null };
  return { ...clock, state: 'Running', periods: [{ from: at, to: null }] };
}

const isOpen = (state: WorkUnitState | null): boolean => state !== null && openStates.includes(state);

/** Whether the unit owes this at the end of the event. */
function isOwed(kind: ClockKind, { after, isAnswer, wasAnswered }: ClockEvent): boolean {
  if (!isOpen(after)) return false;
  if (kind === 'Acknowledge') return after === 'New';
  return kind !== 'FirstAnswer' || !(isAnswer || wasAnswered);
}

/** What an open clock becomes at an event. */
function followed(clock: UnitClock, event: ClockEvent, inForce: LevelInForce | null): UnitClock {
  const { at, after } = event;
  const now = settled(clock, at);
  if (!isOwed(clock.kind, event)) return endedClock(now, at, after === 'Canceled' ? 'Canceled' : 'Met');
  if (clock.kind === 'NextUpdate' && event.isAnswer) return endedClock(now, at, 'Met');
  if (event.choosesLevel && inForce?.serviceLevelId !== clock.serviceLevelId) return endedClock(now, at, 'Replaced');
  return onHold(now, at, after === 'OnHold');
}

/** Whether a clock of this kind begins at an event after which the unit owes it, and none runs. */
function begins(kind: ClockKind, { before, after, isAnswer, choosesLevel }: ClockEvent): boolean {
  if (before === null || !isOpen(before) || choosesLevel) return true;
  return kind === 'Acknowledge' ? before !== after : kind === 'NextUpdate' && isAnswer;
}

/** What an event does to the clocks of a unit: those that run on or end, as they are after it, and new ones. */
export interface FollowedClocks {
  changed: UnitClock[];
  begun: UnitClock[];
}

/**
 * Lets the clocks of a unit follow an event. Only the time of the event counts, which the server gives it, so nothing that is entered later
 * moves a clock back. Time that has passed stays when another level holds, and when a unit is opened again.
 * @param clocks the last clock of each kind, ended or not.
 * @param inForce the level that holds for the unit at the event; clocks begin with its terms.
 */
export function followClocks(clocks: readonly UnitClock[], event: ClockEvent, inForce: LevelInForce | null): FollowedClocks {
  const { at, after } = event;
  const result: FollowedClocks = { changed: [], begun: [] };
  for (const kind of clockKinds) {
    const last = clocks.find((clock) => clock.kind === kind);
    const open = last?.ended === null ? followed(last, event, inForce) : undefined;
    if (open && open !== last) result.changed.push(open);
    if (open?.ended === null || !inForce || !isOwed(kind, event) || !begins(kind, event)) continue;
    const before = open ?? last;
    const isCarried = before && (before.state === 'Replaced' || kind === 'Resolve');
    const clock = newClock(kind, inForce, at, isCarried ? elapsedMs(before, at) : 0);
    if (clock) result.begun.push(settled(onHold(clock, at, after === 'OnHold'), at));
  }
  return result;
}

/** Returns the last clock of each kind after an event. */
export function lastClocks(clocks: readonly UnitClock[], { changed, begun }: FollowedClocks): UnitClock[] {
  return clockKinds.flatMap((kind) => [begun, changed, clocks].flatMap((list) => list.filter((clock) => clock.kind === kind)).slice(0, 1));
}

/** Returns when the next clock of a unit is due, and when it warns; of clocks that do not run neither. */
export function nextTimes(clocks: readonly UnitClock[]): ClockTimes {
  const first = (times: (number | null)[]): number | null =>
    times.reduce<number | null>((min, time) => (time !== null && (min === null || time < min) ? time : min), null);
  const times = clocks.filter(isRunning).map(timesOf);
  return { warnAt: first(times.map(({ warnAt }) => warnAt)), dueAt: first(times.map(({ dueAt }) => dueAt)) };
}
