/**
 * Schedules of other products as schedules of this one. There, several people can be on call at once; here it is one for each
 * schedule. So a schedule with simultaneous shifts becomes several, which together have the same people on call at each time.
 */
import { finalShifts, instantOf, nobody, type Layer, type OnCallTimes, type Override } from '@cloudfit/contract/on-call/shifts.ts';
import { dayMs } from '@cloudfit/contract/durations.ts';
import { zoneOf } from '@cloudfit/contract/rules/time-window.ts';
import { idOfPath } from '../code/paths.ts';
import { localIn, localText, NoCounterpart } from './reading.ts';
import { overlap, restrictionsOf, type WeekWindow } from './week.ts';

/** A shift that somebody takes turns in; several people can have one turn. */
export interface SourceLayer {
  id: string;
  name: string;
  /** Of layers with somebody on call, those of the highest level count. */
  level: number;
  /** Email addresses; without one, nobody has the turn. */
  turns: readonly (readonly string[])[];
  /** Local time, as if it were UTC. */
  start: number;
  unit: Layer['unit'];
  every: number;
  /** Empty: at all times. */
  windows: readonly WeekWindow[];
  until?: number | undefined;
}

export interface SourceOverride {
  people: readonly string[];
  from: number;
  to: number;
  reason: string;
  /** Ids of the layers that it replaces; absent for all. */
  layers?: readonly string[] | undefined;
}

/** Who was computed to be on call there. */
export interface RenderedShift {
  person: string;
  from: number;
  to: number;
}

export interface SourceSchedule {
  id: string;
  name: string;
  description: string;
  timeZone: string;
  layers: readonly SourceLayer[];
  overrides: readonly SourceOverride[];
  rendered?: { from: number; to: number; shifts: readonly RenderedShift[] } | undefined;
}

export const personId = (email: string): string => idOfPath('people', email.toLowerCase());

const maxLayers = 10;
const maxTurns = 100;
const maxRestrictions = 20;
const longestOverrideMs = 92 * dayMs;
/** Longer ones are no override of a shift, and would become very many. */
const longestSourceOverrideMs = 731 * dayMs;
/** How much of what the other product computed is compared. */
const longestComparisonMs = 31 * dayMs;
const maxComparedShifts = 2_000;
const maxReason = 500;
/** Overrides of one schedule that one of some layers becomes. */
const maxOverrideParts = 200;

interface LayerColumn {
  source: SourceLayer;
  layer: Layer;
}

/** The layer for the people at one place of each turn. A shorter turn has its people again, so that no place is empty. */
function columnsOf(source: SourceLayer): LayerColumn[] {
  const { name, turns, start, unit, every, windows, until } = source;
  if (turns.length > maxTurns) throw new NoCounterpart('too-many-turns', String(turns.length));
  const restrictions = restrictionsOf(windows);
  if (restrictions.length > maxRestrictions) throw new NoCounterpart('too-many-hours', String(restrictions.length));
  const width = Math.max(1, ...turns.map((turn) => turn.length));
  return Array.from({ length: width }, (_, place) => ({
    source,
    layer: {
      name: name.replaceAll(/\s+/g, ' ').trim().slice(0, 100) || 'Layer',
      people: turns.map((turn) => (turn.length === 0 ? nobody : personId(turn[place % turn.length] ?? ''))),
      start: localText(start),
      unit,
      every,
      restrictions,
      holidays: 'Same',
      ...(until === undefined ? {} : { until: localText(until) }),
    },
  }));
}

/** Whether the two can never be on call at once, whoever has the turn. */
function neverTogether(a: SourceLayer, b: SourceLayer): boolean {
  if (a.id === b.id) return false;
  if ((a.until ?? Number.POSITIVE_INFINITY) <= b.start || (b.until ?? Number.POSITIVE_INFINITY) <= a.start) return true;
  return !overlap(a.windows, b.windows);
}

/** Columns of one level in as few lines as possible; those of one line are never on call at once. */
function linesOf(columns: readonly LayerColumn[]): LayerColumn[][] {
  const lines: LayerColumn[][] = [];
  for (const column of columns) {
    const line = lines.find((some) => some.every((other) => neverTogether(other.source, column.source)));
    if (line) line.push(column);
    else lines.push([column]);
  }
  return lines;
}

/** One schedule of this product, and for each of its layers the id of the layer there. */
export interface BuiltSchedule {
  id: string;
  name: string;
  times: OnCallTimes & { layers: readonly Layer[] };
  overrides: (Override & { reason: string })[];
  sources: readonly string[];
}

/**
 * The schedules that together have the same people on call. Each has all layers of a level, beginning with a line of its own:
 * while that line has nobody, it has somebody of another line of the level, and never of a lower level too early.
 */
export function buildSchedules(source: SourceSchedule, now: number, report: (error: unknown, what: string) => void): BuiltSchedule[] {
  const columns = source.layers.flatMap((layer) => {
    try {
      return columnsOf(layer);
    } catch (error) {
      report(error, layer.name);
      return [];
    }
  });
  const levels = [...Map.groupBy(columns, ({ source: { level } }) => level)].toSorted(([a], [b]) => b - a).map(([, some]) => linesOf(some));
  const overrides = source.overrides.filter(({ to, people }) => to > now && people.length > 0);
  const count = Math.max(1, ...levels.map((lines) => lines.length), ...overrides.map(({ people }) => people.length));
  const schedules = Array.from({ length: count }, (_, place): BuiltSchedule => {
    const ordered = levels.map((lines) => lines.map((_line, index) => lines[(index + place) % lines.length] ?? []));
    const columnsHere = ordered.flatMap((lines) => lines.flat());
    return {
      id: idOfPath('onCallSchedules', `${source.id} ${place}`),
      name: count === 1 ? source.name : `${source.name.slice(0, 180)} (${place + 1})`,
      times: { timeZone: source.timeZone, holidays: [], layers: columnsHere.map(({ layer }) => layer) },
      overrides: [],
      sources: columnsHere.map((column) => column.source.id),
    };
  });
  if (schedules.some(({ times }) => times.layers.length > maxLayers)) {
    report(new NoCounterpart('too-many-layers', String(schedules[0]?.times.layers.length)), '');
    return [];
  }
  for (const override of overrides) {
    try {
      place(override, schedules);
    } catch (error) {
      report(error, override.reason || new Date(override.from).toISOString());
    }
  }
  return schedules;
}

/** The times of a period that these shifts do not take, in order. */
function freeTimes(busy: readonly { from: number; to: number }[], from: number, to: number): { from: number; to: number }[] {
  const free: { from: number; to: number }[] = [];
  let begins = from;
  for (const shift of busy) {
    if (shift.from > begins) free.push({ from: begins, to: shift.from });
    begins = Math.max(begins, shift.to);
  }
  if (begins < to) free.push({ from: begins, to });
  return free;
}

/**
 * Adds an override to the schedules. One of some layers leaves the others their shifts, in each schedule; its person has to be on
 * call all the time in one of the schedules, as there.
 */
function place({ people, from, to, reason, layers }: SourceOverride, schedules: readonly BuiltSchedule[]): void {
  if (to - from > longestSourceOverrideMs) throw new NoCounterpart('long-override', new Date(to).toISOString());
  const named = layers === undefined ? undefined : new Set(layers);
  const busy = schedules.map(({ times, sources }) =>
    named === undefined ? [] : finalShifts(times, [], from, to).filter(({ layer }) => !named.has(sources[layer ?? -1] ?? '')),
  );
  const [first = [], ...others] = busy;
  for (const { from: begins, to: ends } of first) {
    let gaps = [{ from: begins, to: ends }];
    for (const some of others) gaps = gaps.flatMap((gap) => overlaps(some, gap));
    if (gaps.length > 0) throw new NoCounterpart('part-override', new Date(gaps[0]?.from ?? begins).toISOString());
  }
  const parts = busy.map((some) => freeTimes(some, from, to));
  if (parts.some((some) => some.length > maxOverrideParts)) throw new NoCounterpart('part-override', new Date(from).toISOString());
  schedules.forEach((schedule, index) => {
    const who = personId(people[index % people.length] ?? '');
    const note = reason.replaceAll(/\s+/g, ' ').trim().slice(0, maxReason);
    for (const part of parts[index] ?? [])
      for (let begins = part.from; begins < part.to; begins += longestOverrideMs)
        schedule.overrides.push({ personId: who, from: begins, to: Math.min(part.to, begins + longestOverrideMs), reason: note });
  });
}

/** The times of these shifts within a period. */
function overlaps(
  shifts: readonly { from: number; to: number }[],
  { from, to }: { from: number; to: number },
): { from: number; to: number }[] {
  return shifts.map((shift) => ({ from: Math.max(shift.from, from), to: Math.min(shift.to, to) })).filter((shift) => shift.from < shift.to);
}

/** Who is on call in any of the schedules, as sets that change at `edges`. */
function peopleAt(schedules: readonly BuiltSchedule[], from: number, to: number): (at: number) => Set<string> {
  const shifts = schedules.flatMap(({ times, overrides }) => finalShifts(times, overrides, from, to));
  return (at) => new Set(shifts.filter((shift) => shift.from <= at && at < shift.to).map((shift) => shift.personId));
}

/** The first time at which other people are on call than the other product computed; undefined when there is none. */
export function firstDifference(source: SourceSchedule, schedules: readonly BuiltSchedule[]): number | undefined {
  if (!source.rendered) return undefined;
  const { from } = source.rendered;
  const sorted = source.rendered.shifts.toSorted((a, b) => a.from - b.from);
  const shifts = sorted.slice(0, maxComparedShifts);
  const to = Math.min(source.rendered.to, from + longestComparisonMs, sorted[maxComparedShifts]?.from ?? Number.POSITIVE_INFINITY);
  const there = (at: number): Set<string> =>
    new Set(shifts.filter((shift) => shift.from <= at && at < shift.to).map(({ person }) => personId(person)));
  const here = peopleAt(schedules, from, to);
  const builtShifts = schedules.flatMap(({ times, overrides }) => finalShifts(times, overrides, from, to));
  const edges = [...new Set([from, ...[...shifts, ...builtShifts].flatMap((shift) => [shift.from, shift.to])])].filter(
    (at) => at >= from && at < to,
  );
  return edges
    .toSorted((a, b) => a - b)
    .find((at) => {
      const [a, b] = [there(at), here(at)];
      return a.size !== b.size || [...a].some((person) => !b.has(person));
    });
}

/** Moves the start of a layer to its first turn at or after a local time. */
export function startingAt(layer: SourceLayer, local: number, turnMs: number): SourceLayer {
  const skipped = Math.max(0, Math.ceil((local - layer.start) / turnMs));
  const shift = skipped % layer.turns.length;
  return { ...layer, start: layer.start + skipped * turnMs, turns: [...layer.turns.slice(shift), ...layer.turns.slice(0, shift)] };
}

/** Whether clocks of the zone change. */
export function hasClockChanges(timeZone: string, now: number): boolean {
  const zone = zoneOf(timeZone);
  const local = localIn(new Date(now).toISOString());
  const offsets = [0, 91, 182, 273].map((days) => instantOf(zone, local + days * dayMs) - (local + days * dayMs));
  return new Set(offsets).size > 1;
}
