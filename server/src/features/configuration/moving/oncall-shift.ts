/** A shift of Grafana OnCall as layers: an event that repeats, by the rules of iCalendar, and has the next people each time. */
import { dayMs, hourMs, weekMs } from '@cloudfit/contract/durations.ts';
import { listOf, localIn, NoCounterpart, numberOf, textOf, type ForeignItem } from './reading.ts';
import { startingAt, type SourceLayer } from './schedules.ts';
import { dayMinutes, merged, weekMinutes, type WeekWindow } from './week.ts';

const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const minuteMs = 60_000;
const maxTurns = 100;

type Turns = readonly (readonly string[])[];
/** `eachMs`: an event begins as often, where windows do not say when. */
type Rotation = Pick<SourceLayer, 'turns' | 'start' | 'unit' | 'every' | 'windows'> & { eachMs: number };

/** What the shift says, in local times as if they were UTC. */
interface RepeatedShift {
  groups: Turns;
  start: number;
  durationMs: number;
  interval: number;
  days: readonly number[];
  weekStart: number;
}

const dayOf = (local: number): number => new Date(local).getUTCDay();
const minuteOfDay = (local: number): number => Math.floor((local % dayMs) / minuteMs);
const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
const multiple = (a: number, b: number): number => (a * b) / divisor(a, b);

/** The same turn several times in a row. */
function repeated(turn: readonly string[], count: number): (readonly string[])[] {
  if (count > maxTurns) throw new NoCounterpart('too-many-turns', `${count}`);
  return Array.from({ length: count }, () => turn);
}

function turnUnit(ms: number): Pick<SourceLayer, 'unit' | 'every'> {
  if (ms % weekMs === 0) return { unit: 'Weeks', every: ms / weekMs };
  if (ms % dayMs === 0) return { unit: 'Days', every: ms / dayMs };
  if (ms > 0 && ms % hourMs === 0) return { unit: 'Hours', every: ms / hourMs };
  throw new NoCounterpart('odd-length', `${ms / minuteMs} min`);
}

/** Events that each take `durationMs` and come every `periodMs`. */
function repeating({ groups, start, durationMs }: RepeatedShift, periodMs: number): Rotation {
  if (durationMs > periodMs) throw new NoCounterpart('overlapping-turns');
  if (durationMs === periodMs) return { turns: groups, start, ...turnUnit(periodMs), windows: [], eachMs: periodMs };
  for (const [unit, unitMs] of [
    ['Days', dayMs],
    ['Weeks', weekMs],
  ] as const)
    if (periodMs % unitMs === 0 && durationMs <= unitMs) {
      const [begins, length] = [minuteOfDay(start), durationMs / minuteMs];
      const days = unit === 'Days' ? [0, 1, 2, 3, 4, 5, 6] : [dayOf(start)];
      const windows = durationMs === unitMs ? [] : days.map((day) => ({ start: day * dayMinutes + begins, length }));
      return {
        turns: groups.flatMap((group) => [group, ...repeated([], periodMs / unitMs - 1)]),
        start,
        unit,
        every: 1,
        windows,
        eachMs: periodMs,
      };
    }
  const base = divisor(periodMs, durationMs);
  const free = repeated([], (periodMs - durationMs) / base);
  const turns = groups.flatMap((group) => [...repeated(group, durationMs / base), ...free]);
  return { turns, start, ...turnUnit(base), windows: [], eachMs: periodMs };
}

function dayWindows({ start, durationMs }: RepeatedShift, days: readonly number[]): WeekWindow[] {
  const windows = days.map((day) => ({ start: day * dayMinutes + minuteOfDay(start), length: durationMs / minuteMs }));
  const total = windows.reduce((sum, { length }) => sum + length, 0);
  const joined = merged(windows);
  const covered = joined.length === 0 ? weekMinutes : joined.reduce((sum, { length }) => sum + length, 0);
  if (covered < total) throw new NoCounterpart('overlapping-turns');
  return windows;
}

/** Each group has the chosen days of its week. A week begins with the first chosen day, so that an event is within one turn. */
function weekly(shift: RepeatedShift): Rotation {
  const { groups, days, interval, weekStart, start } = shift;
  if (days.length < 2) {
    const ahead = days[0] === undefined ? 0 : (days[0] - dayOf(start) + 7) % 7;
    return repeating({ ...shift, start: start + ahead * dayMs }, interval * weekMs);
  }
  const inWeek = (day: number): number => (day - weekStart + 7) % 7;
  const first = Math.min(...days.map(inWeek));
  const begins = start + (first - inWeek(dayOf(start))) * dayMs;
  const turns = groups.flatMap((group) => [group, ...repeated([], interval - 1)]);
  return { turns, start: begins, unit: 'Weeks', every: 1, windows: dayWindows(shift, days), eachMs: weekMs };
}

/** Days that are chosen and due, one turn for each day; groups take turns after `interval` chosen days. */
function dailyOnDays(shift: RepeatedShift, isRolling: boolean): Rotation {
  const { groups, days, interval, start, durationMs } = shift;
  if (durationMs > dayMs) throw new NoCounterpart('overlapping-turns');
  const windows = durationMs === dayMs ? [] : dayWindows(shift, [0, 1, 2, 3, 4, 5, 6]);
  // Recurrent events come every so many days, if that day is chosen; rolling ones come on each chosen day.
  const length = isRolling ? (multiple(groups.length * interval, days.length) / days.length) * 7 : multiple(interval, 7);
  let chosen = 0;
  const turns = Array.from({ length: Math.min(length, maxTurns + 1) }, (_, day): readonly string[] => {
    if (!days.includes(dayOf(start + day * dayMs))) return [];
    if (!isRolling) return day % interval === 0 ? (groups[0] ?? []) : [];
    chosen += 1;
    return groups[Math.floor((chosen - 1) / interval) % groups.length] ?? [];
  });
  return { turns, start, unit: 'Days', every: 1, windows, eachMs: dayMs };
}

function rotationOf(shift: RepeatedShift, frequency: string, isRolling: boolean): Rotation {
  const { days, interval } = shift;
  if (frequency === 'hourly' && days.length > 0) throw new NoCounterpart('by-day-hours');
  if (frequency === 'hourly') return repeating(shift, interval * hourMs);
  if (frequency === 'daily') return days.length > 0 ? dailyOnDays(shift, isRolling) : repeating(shift, interval * dayMs);
  if (frequency === 'weekly') return weekly(shift);
  throw new NoCounterpart('monthly', frequency);
}

/** When the last event that begins by `until` ends: an event is not cut there. */
function endOf({ windows, start, eachMs }: Rotation, until: number, durationMs: number): number {
  const origin = localIn('1970-01-04T00:00:00');
  const sinceWeek = (((until - origin) % weekMs) + weekMs) % weekMs;
  const ends = windows.map((window) => {
    const ago = (((sinceWeek - window.start * minuteMs) % weekMs) + weekMs) % weekMs;
    return until - ago + window.length * minuteMs;
  });
  return ends.length > 0 ? Math.max(...ends) : start + Math.floor((until - start) / eachMs) * eachMs + durationMs;
}

/** The layer of a shift. `now` is local, too: what was before does not count. */
export function layerOfShift(item: ForeignItem, groups: Turns, now: number): SourceLayer {
  const [type, frequency] = [textOf(item['type']), textOf(item['frequency'])];
  const [start, durationMs] = [localIn(item['start']), numberOf(item['duration'], 0) * 1_000];
  if (durationMs <= 0 || durationMs % minuteMs !== 0) throw new NoCounterpart('odd-length', `${durationMs / 1_000} s`);
  if (groups.every((group) => group.length === 0)) throw new NoCounterpart('no-people');
  const base = { id: textOf(item['id']), name: textOf(item['name']), level: numberOf(item['level'], 0) };
  if (type === 'single_event' || frequency === '') {
    if (start + durationMs <= now) throw new NoCounterpart('ended');
    const unit = durationMs > 1_000 * hourMs ? ('Days' as const) : ('Hours' as const);
    const every = Math.ceil(durationMs / (unit === 'Days' ? dayMs : hourMs));
    return { ...base, turns: groups.slice(0, 1), start, unit, every, windows: [], until: start + durationMs };
  }
  if (listOf(item['by_month']).length > 0 || listOf(item['by_monthday']).length > 0) throw new NoCounterpart('monthly', frequency);
  const days = listOf(item['by_day']).map((day) => weekdays.indexOf(textOf(day)));
  if (days.some((day) => day < 0)) throw new NoCounterpart('monthly', listOf(item['by_day']).join(', '));
  const until = item['until'] ? localIn(item['until']) : undefined;
  if (until !== undefined && until + durationMs <= now) throw new NoCounterpart('ended', textOf(item['until']));
  const begins = item['rotation_start'] ? Math.max(start, localIn(item['rotation_start'])) : start;
  const interval = Math.max(1, numberOf(item['interval'], 1));
  const weekStart = Math.max(0, weekdays.indexOf(textOf(item['week_start']) || 'SU'));
  // OnCall moves the day of such a rotation in a way that its description does not have.
  if (frequency === 'weekly' && days.length === 0 && groups.length > 1 && begins - start >= weekMs)
    throw new NoCounterpart('rotation-start');
  const isRolling = type === 'rolling_users';
  const rotation = rotationOf({ groups, start, durationMs, interval, days, weekStart }, frequency, isRolling);
  const { turns, unit, every, windows } = rotation;
  const layer: SourceLayer = { ...base, turns, start: rotation.start, unit, every, windows };
  const turnMs = { Hours: hourMs, Days: dayMs, Weeks: weekMs }[layer.unit] * layer.every;
  const isLater = Math.max(begins, start) > now;
  // A first week without its first days, or a rotation that begins amid a turn, matters only while it is ahead.
  if (isLater && layer.start < start && days.length > 1) throw new NoCounterpart('first-week', textOf(item['start']));
  const started = isLater && begins > layer.start ? startingAt(layer, begins, turnMs) : layer;
  return until === undefined ? started : { ...started, until: endOf(rotation, until, durationMs) };
}
