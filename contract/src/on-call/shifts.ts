/** Who is on call when: the shifts of each layer of a schedule, and the shifts that result with its overrides. Pure. */
import { hourMs, dayMs, weekMs } from '../durations.ts';
import { offsetAt, zoneOf, type Zone } from '../rules/time-window.ts';
/** More than the UTC offset of any time zone, in milliseconds. */
const farthestMs = 15 * hourMs;

export const rotationUnits = ['Hours', 'Days', 'Weeks'] as const;
/** When a layer counts: on holidays of the schedule as on other days, not on holidays, or on holidays only. */
export const holidayUses = ['Same', 'Off', 'Only'] as const;

/** Local hours on days of the week (0 is Sunday). If `to` is not after `from`, it is on the next day; 24:00 ends the day. */
export interface Restriction {
  days: number[];
  from: string;
  to: string;
}

/** Takes the place of a person in a layer whose turn nobody has. */
export const nobody = '00000000-0000-0000-0000-000000000000';

export interface Layer {
  name: string;
  /** Ids of people, or `nobody`, in the order in which they take turns. */
  people: string[];
  /** Local date and time of the first turn; for units of days and weeks, each handover is at this time of day. */
  start: string;
  unit: (typeof rotationUnits)[number];
  /** The length of a turn in units. */
  every: number;
  /** The times at which the layer counts; when empty, it always counts. */
  restrictions: Restriction[];
  holidays: (typeof holidayUses)[number];
  /** Local date and time from which the layer counts no more. */
  until?: string | undefined;
}

export interface OnCallTimes {
  timeZone: string;
  /** Local dates, as in 2026-12-25. */
  holidays: readonly string[];
  /** At each time, the first layer that has somebody counts. */
  layers: readonly Layer[];
}

export interface Override {
  personId: string;
  from: number;
  to: number;
}

/** A time from `from` (inclusive) to `to` (exclusive), in epoch milliseconds. */
export interface Shift {
  from: number;
  to: number;
  personId: string;
}

export interface FinalShift extends Shift {
  /** Index of the layer; null for an override. */
  layer: number | null;
}

/** Parses a local time as if it were UTC, in epoch milliseconds. */
const localMs = (text: string): number => Date.parse(`${text}Z`);

/**
 * Returns the first instant at which clocks of the zone show this local time or a later one: for a local time that a clock
 * change skips, the moment of the change; for a local time that comes twice, the first of both instants.
 */
export function instantOf(zone: Zone, local: number): number {
  // A candidate is an instant whose offset gives the local time. A local time that comes twice has two; the first one counts.
  let candidate = Number.POSITIVE_INFINITY;
  for (const offset of new Set([offsetAt(zone, local - farthestMs), offsetAt(zone, local + farthestMs), offsetAt(zone, local)])) {
    const at = local - offset;
    if (offsetAt(zone, at) === offset) candidate = Math.min(candidate, at);
  }
  if (Number.isFinite(candidate)) return candidate;
  // A skipped local time: finds the moment of the clock change by bisection.
  let low = local - farthestMs;
  let high = local + farthestMs;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (middle + offsetAt(zone, middle) >= local) high = middle;
    else low = middle;
  }
  return high;
}

const unitMs: Readonly<Record<Layer['unit'], number>> = { Hours: hourMs, Days: dayMs, Weeks: 7 * dayMs };

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
}

/** Returns the turns of a layer between two instants, as if the layer always counted. */
function turnsOf(layer: Layer, zone: Zone, from: number, end: number): Shift[] {
  const { people, until } = layer;
  if (people.length === 0) return [];
  const to = until === undefined ? end : Math.min(end, instantOf(zone, localMs(until)));
  const start = localMs(layer.start);
  const length = unitMs[layer.unit] * Math.max(1, layer.every);
  const turns: Shift[] = [];
  for (let turn = Math.max(0, Math.floor((from - farthestMs - start) / length) - 1); ; turn += 1) {
    const begins = instantOf(zone, start + turn * length);
    if (begins >= to) return turns;
    const ends = instantOf(zone, start + (turn + 1) * length);
    const personId = people[turn % people.length] ?? nobody;
    if (ends > from && ends > begins && personId !== nobody) turns.push({ from: Math.max(from, begins), to: Math.min(to, ends), personId });
  }
}

const wholeDays: readonly Restriction[] = [{ days: [0, 1, 2, 3, 4, 5, 6], from: '00:00', to: '24:00' }];

const dateOf = (day: number): string => new Date(day).toISOString().slice(0, 10);

/**
 * Returns the times of these hours around two instants, in order, without overlaps. `counts` tells of a local date whether its
 * hours count; hours that last past midnight belong to the date on which they begin.
 */
export function hoursBetween(
  zone: Zone,
  hours: readonly Restriction[],
  counts: (date: string) => boolean,
  from: number,
  to: number,
): [number, number][] {
  const windows: [number, number][] = [];
  const firstDay = Math.floor((from - farthestMs) / dayMs) * dayMs - dayMs;
  for (let day = firstDay; day < to + farthestMs; day += dayMs) {
    if (!counts(dateOf(day))) continue;
    const weekday = new Date(day).getUTCDay();
    for (const one of hours) {
      if (!one.days.includes(weekday)) continue;
      const begins = minutesOf(one.from);
      const ends = minutesOf(one.to);
      windows.push([instantOf(zone, day + begins), instantOf(zone, day + ends + (ends <= begins ? dayMs : 0))]);
    }
  }
  // Merged, so that windows that touch or overlap give one.
  const merged: [number, number][] = [];
  for (const [begins, ends] of windows.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && begins <= last[1]) last[1] = Math.max(last[1], ends);
    else merged.push([begins, ends]);
  }
  return merged;
}

/** Returns the times at which the layer counts; undefined when it always counts. */
function windowsOf(layer: Layer, zone: Zone, holidays: ReadonlySet<string>, from: number, to: number): [number, number][] | undefined {
  if (layer.restrictions.length === 0 && layer.holidays === 'Same') return undefined;
  const hours = layer.restrictions.length === 0 ? wholeDays : layer.restrictions;
  const counts = (date: string): boolean => layer.holidays === 'Same' || holidays.has(date) === (layer.holidays === 'Only');
  return hoursBetween(zone, hours, counts, from, to);
}

/** Returns the shifts of one layer between two instants, in order. */
export function layerShifts(layer: Layer, schedule: Pick<OnCallTimes, 'timeZone' | 'holidays'>, from: number, to: number): Shift[] {
  const zone = zoneOf(schedule.timeZone);
  const turns = turnsOf(layer, zone, from, to);
  const windows = windowsOf(layer, zone, new Set(schedule.holidays), from, to);
  if (!windows) return turns;
  const shifts: Shift[] = [];
  let first = 0;
  for (const turn of turns) {
    while ((windows[first]?.[1] ?? Number.POSITIVE_INFINITY) <= turn.from) first += 1;
    for (let index = first; index < windows.length; index += 1) {
      const [begins, ends] = windows[index] ?? [0, 0];
      if (begins >= turn.to) break;
      const shift = { ...turn, from: Math.max(turn.from, begins), to: Math.min(turn.to, ends) };
      if (shift.to > shift.from) shifts.push(shift);
    }
  }
  return shifts;
}

/** Whether a turn of a layer, in local times, has hours of its restrictions. */
function hasHours(restrictions: readonly Restriction[], begins: number, ends: number): boolean {
  for (let day = Math.floor(begins / dayMs) * dayMs - dayMs; day < ends; day += dayMs)
    for (const { days, from, to } of restrictions) {
      if (!days.includes(new Date(day).getUTCDay())) continue;
      const [start, end] = [minutesOf(from), minutesOf(to)];
      if (day + start < ends && day + end + (end <= start ? dayMs : 0) > begins) return true;
    }
  return false;
}

const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b));

/**
 * Returns the people of a layer whose turns never have hours of its restrictions, such as those of each Saturday in a layer that
 * counts on weekdays. Holidays and clock changes are left out.
 */
export function neverOnCall({ people, start, unit, every, restrictions }: Layer): string[] {
  if (restrictions.length === 0 || people.length === 0) return [];
  const length = unitMs[unit] * Math.max(1, every);
  // After this many turns, the same people have their turns at the same times of the week.
  const rounds = weekMs / commonDivisor(weekMs, length * people.length);
  const isIdle = (index: number): boolean => {
    for (let round = 0; round < rounds; round += 1) {
      const begins = localMs(start) + (index + round * people.length) * length;
      if (hasHours(restrictions, begins, begins + Math.min(length, weekMs))) return false;
    }
    return true;
  };
  const busy = new Set(people.filter((_, index) => !isIdle(index)));
  return [...new Set(people)].filter((person) => person !== nobody && !busy.has(person));
}

/** Returns who is on call when: the person of the last override, else of the first layer that has somebody; omits gaps. */
export function finalShifts(schedule: OnCallTimes, overrides: readonly Override[], from: number, to: number): FinalShift[] {
  const clipped = overrides
    .map((override) => ({ ...override, from: Math.max(from, override.from), to: Math.min(to, override.to), layer: null }))
    .filter((item) => item.to > item.from);
  const lines: FinalShift[][] = [
    // Reversed, because the last override takes precedence.
    ...clipped.toReversed().map((item) => [item]),
    ...schedule.layers.map((layer, index) => layerShifts(layer, schedule, from, to).map((shift) => ({ ...shift, layer: index }))),
  ];
  const edges = [...new Set([from, to, ...lines.flatMap((line) => line.flatMap((shift) => [shift.from, shift.to]))])].toSorted(
    (a, b) => a - b,
  );
  const places = lines.map(() => 0);
  const final: FinalShift[] = [];
  for (const [index, begins] of edges.entries()) {
    const ends = edges[index + 1];
    if (ends === undefined) break;
    let holder: FinalShift | undefined;
    for (const [number, line] of lines.entries()) {
      let place = places[number] ?? 0;
      while ((line[place]?.to ?? Number.POSITIVE_INFINITY) <= begins) place += 1;
      places[number] = place;
      const shift = line[place];
      if (!holder && shift && shift.from <= begins) holder = shift;
    }
    const last = final.at(-1);
    if (!holder) continue;
    if (last && last.to === begins && last.personId === holder.personId && last.layer === holder.layer) last.to = ends;
    else final.push({ from: begins, to: ends, personId: holder.personId, layer: holder.layer });
  }
  return final;
}

/**
 * Joins successive shifts of one person, if no other person has a shift between them. Times when nobody is on call, such as
 * nights, do not separate shifts.
 */
export function stintsOf(final: readonly Shift[]): Shift[] {
  const stints: Shift[] = [];
  for (const { from, to, personId } of final) {
    const last = stints.at(-1);
    if (last?.personId === personId) last.to = to;
    else stints.push({ from, to, personId });
  }
  return stints;
}

/** Returns the id of the person on call at an instant; undefined when nobody is. */
export function onCallAt(schedule: OnCallTimes, overrides: readonly Override[], at: number): string | undefined {
  return finalShifts(schedule, overrides, at, at + 1)[0]?.personId;
}

/** Returns the times between two instants at which nobody is on call. */
export function gapsOf(final: readonly Shift[], from: number, to: number): { from: number; to: number }[] {
  const gaps: { from: number; to: number }[] = [];
  let covered = from;
  for (const shift of final) {
    if (shift.from > covered) gaps.push({ from: covered, to: shift.from });
    covered = Math.max(covered, shift.to);
  }
  if (covered < to) gaps.push({ from: covered, to });
  return gaps;
}
