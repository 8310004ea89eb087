/** The clocks of a unit, compared with a model that walks through each minute of a history. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openStates, workUnitStates, type WorkUnitState } from '../enums.ts';
import { dayMs, minuteMs } from '../durations.ts';
import { runs } from '../testing/runs.ts';
import {
  clockKinds,
  elapsedMs,
  followClocks,
  isRunning,
  nextTimes,
  settled,
  timesOf,
  type ClockEvent,
  type ClockKind,
  type LevelInForce,
  type UnitClock,
} from './clocks.ts';
import { afterWorking, workedMs, type WorkingHours } from './working-time.ts';

const at = (text: string): number => Date.parse(text);
const iso = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString().slice(0, 16));

/** Local time of a zone as if it were UTC, by the formatter of the platform alone. */
function localClock(timeZone: string): (minute: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const offsets = new Map<number, number>();
  return (time) => {
    const quarter = Math.floor(time / (15 * minuteMs)) * 15 * minuteMs;
    let offset = offsets.get(quarter);
    if (offset === undefined) offsets.set(quarter, (offset = Date.parse(`${format.format(quarter).replace(' ', 'T')}Z`) - quarter));
    return time + offset;
  };
}

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

/** Tells of each minute, in order, whether it is working time: between the first minutes at which clocks show the begin and the end. */
function* workingMinutes(calendar: WorkingHours | null, from: number, to: number): Generator<[number, boolean]> {
  const local = calendar && localClock(calendar.timeZone);
  // Clocks that go back do not open again what they have closed.
  let shown = Number.NEGATIVE_INFINITY;
  for (let minute = local ? from - 4 * dayMs : from; minute < to; minute += minuteMs) {
    if (local) shown = Math.max(shown, local(minute));
    if (minute < from) continue;
    if (!calendar) {
      yield [minute, true];
      continue;
    }
    const today = Math.floor(shown / dayMs) * dayMs;
    const isOpen = [today - dayMs, today].some((day) => {
      if (calendar.holidays.includes(new Date(day).toISOString().slice(0, 10))) return false;
      return calendar.hours.some(({ days, from: begin, to: end }) => {
        const ends = minutesOf(end) <= minutesOf(begin) ? minutesOf(end) + 24 * 60 : minutesOf(end);
        return days.includes(new Date(day).getUTCDay()) && shown >= day + minutesOf(begin) * minuteMs && shown < day + ends * minuteMs;
      });
    });
    yield [minute, isOpen];
  }
}

const office: WorkingHours = {
  timeZone: 'Europe/Berlin',
  hours: [{ days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' }],
  holidays: ['2026-12-25'],
};

const hour = fc.integer({ min: 0, max: 47 }).map((half) => `${String(Math.floor(half / 2)).padStart(2, '0')}:${half % 2 ? '30' : '00'}`);
const calendars = fc.option(
  fc.record({
    timeZone: fc.constantFrom('Europe/Berlin', 'America/New_York'),
    hours: fc.array(
      fc.record({ days: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 7 }), from: hour, to: hour }),
      { minLength: 1, maxLength: 3 },
    ),
    holidays: fc.array(fc.constantFrom('2026-03-08', '2026-03-27', '2026-03-29', '2026-10-25', '2026-10-26', '2026-11-01', '2026-11-02'), {
      maxLength: 3,
    }),
  }),
);
// A day or two before clocks change in Berlin or New York.
const starts = fc.tuple(
  fc.constantFrom('2026-03-07T00:00Z', '2026-03-28T00:00Z', '2026-10-24T00:00Z', '2026-10-31T00:00Z'),
  fc.integer({ min: 0, max: 2 * 24 * 60 }),
);
const startOf = ([day, minutes]: [string, number]): number => at(day) + minutes * minuteMs;

describe('working time', () => {
  it('counts the hours of a calendar in its time zone, without its holidays', () => {
    expect(workedMs(office, at('2026-12-24T16:00Z'), at('2026-12-28T08:00Z')) / minuteMs).toBe(60 + 60);
    expect(iso(afterWorking(office, at('2026-12-24T16:30Z'), 60 * minuteMs))).toBe('2026-12-28T07:30');
    expect(iso(afterWorking(null, at('2026-12-24T16:30Z'), 60 * minuteMs))).toBe('2026-12-24T17:30');
  });

  it('has no due time in a calendar whose hours never come', () => {
    const never = {
      ...office,
      hours: [{ days: [5], from: '08:00', to: '09:00' }],
      holidays: Array.from({ length: 400 }, (_, week) => new Date(at('2026-01-02') + week * 7 * dayMs).toISOString().slice(0, 10)),
    };
    expect(afterWorking(never, at('2026-01-01'), minuteMs)).toBeNull();
  });

  it('agrees with counting each minute, across changes of the clocks', () => {
    fc.assert(
      fc.property(calendars, starts, fc.integer({ min: 1, max: 3 * 24 * 60 }), (calendar, start, length) => {
        const from = startOf(start);
        const to = from + length * minuteMs;
        let minutes = 0;
        for (const [, counts] of workingMinutes(calendar, from, to)) if (counts) minutes += 1;
        expect(workedMs(calendar, from, to)).toBe(minutes * minuteMs);
        if (minutes === 0) return;
        const due = afterWorking(calendar, from, minutes * minuteMs) ?? Number.NaN;
        expect(due).toBeLessThanOrEqual(to);
        expect(workedMs(calendar, from, due)).toBe(minutes * minuteMs);
        expect(workedMs(calendar, from, due - minuteMs)).toBe((minutes - 1) * minuteMs);
      }),
      { numRuns: runs(60, 400) },
    );
  });
});

const level = (change: Partial<LevelInForce> = {}): LevelInForce => ({
  serviceLevelId: 'gold',
  levelName: 'Gold',
  warnPercent: 75,
  pausesOnHold: true,
  calendar: null,
  targetMinutes: { Acknowledge: 15, FirstAnswer: 30, Resolve: 240, NextUpdate: 60 },
  ...change,
});

/** A unit with its clocks, as the server stores them: the last one of each kind counts. */
class FollowedUnit {
  clocks: UnitClock[] = [];
  state: WorkUnitState | null = null;
  wasAnswered = false;
  inForce: LevelInForce | null;
  constructor(inForce: LevelInForce | null) {
    this.inForce = inForce;
  }
  lastOf(kind: ClockKind): UnitClock | undefined {
    return this.clocks.findLast((clock) => clock.kind === kind);
  }
  happen(time: number, change: Partial<Omit<ClockEvent, 'at' | 'before'>> & { inForce?: LevelInForce | null } = {}): void {
    const { inForce, ...rest } = change;
    if (inForce !== undefined) this.inForce = inForce;
    const event = {
      at: time,
      before: this.state,
      after: this.state ?? 'New',
      isAnswer: false,
      wasAnswered: this.wasAnswered,
      choosesLevel: inForce !== undefined,
      ...rest,
    };
    const lasts = clockKinds.flatMap((kind) => this.lastOf(kind) ?? []);
    const { changed, begun } = followClocks(lasts, event, this.inForce);
    this.clocks = this.clocks.map((clock) => changed.find(({ kind }) => clock.ended === null && kind === clock.kind) ?? clock);
    this.clocks.push(...begun);
    this.state = event.after;
    this.wasAnswered ||= event.isAnswer;
  }
  shown(kind: ClockKind): string[] {
    return this.clocks
      .filter((clock) => clock.kind === kind)
      .map((clock) =>
        [clock.state, clock.levelName, iso(clock.started)?.slice(11), clock.ended === null ? 'open' : iso(clock.ended)?.slice(11)].join(
          ' ',
        ),
      );
  }
}

const morning = (minutes: number): number => at('2026-05-04T08:00Z') + minutes * minuteMs;

describe('clocks of a unit', () => {
  it('begin with the unit and end with what they wait for', () => {
    const unit = new FollowedUnit(level());
    unit.happen(morning(0));
    expect(nextTimes(unit.clocks)).toEqual({ warnAt: morning(11.25), dueAt: morning(15) });
    unit.happen(morning(10), { after: 'Acknowledged' });
    unit.happen(morning(40), { isAnswer: true });
    unit.happen(morning(90), { after: 'Resolved' });
    expect(unit.shown('Acknowledge')).toEqual(['Met Gold 08:00 08:10']);
    expect(unit.shown('FirstAnswer')).toEqual(['Breached Gold 08:00 08:40']);
    expect(unit.shown('NextUpdate')).toEqual(['Met Gold 08:00 08:40', 'Met Gold 08:40 09:30']);
    expect(unit.shown('Resolve')).toEqual(['Met Gold 08:00 09:30']);
    expect(nextTimes(unit.clocks)).toEqual({ warnAt: null, dueAt: null });
  });

  it('pause on hold, unless the level says otherwise', () => {
    for (const pausesOnHold of [true, false]) {
      const unit = new FollowedUnit(level({ pausesOnHold }));
      unit.happen(morning(0));
      unit.happen(morning(10), { after: 'Acknowledged' });
      unit.happen(morning(100), { after: 'OnHold' });
      unit.happen(morning(300), { after: 'InProgress' });
      const clock = unit.lastOf('Resolve');
      expect(clock && [elapsedMs(clock, morning(310)) / minuteMs, iso(timesOf(clock).dueAt)]).toEqual(
        pausesOnHold ? [110, iso(morning(440))] : [310, iso(morning(240))],
      );
    }
  });

  it('take over the time that has passed when another level holds, and leave what was recorded', () => {
    const unit = new FollowedUnit(level({ serviceLevelId: 'silver', levelName: 'Silver' }));
    unit.happen(morning(0));
    unit.happen(morning(20), { inForce: level({ targetMinutes: { Resolve: 30 } }) });
    expect(unit.shown('Resolve')).toEqual(['Replaced Silver 08:00 08:20', 'Running Gold 08:20 open']);
    expect(iso(timesOf(unit.lastOf('Resolve') as UnitClock).dueAt)).toBe(iso(morning(30)));
    expect(unit.shown('Acknowledge')).toEqual(['Replaced Silver 08:00 08:20']);
    // Its time was over before.
    expect(iso(unit.lastOf('Acknowledge')?.breached ?? null)).toBe(iso(morning(15)));
  });

  it('do not begin again for who takes a level away and gives it back', () => {
    const unit = new FollowedUnit(level());
    unit.happen(morning(0));
    unit.happen(morning(10), { inForce: null });
    unit.happen(morning(12), { inForce: level() });
    expect(nextTimes(unit.clocks).dueAt).toBe(morning(17));
    expect(unit.shown('Acknowledge')).toEqual(['Replaced Gold 08:00 08:10', 'Running Gold 08:12 open']);
  });

  it('keep their terms when the level is changed, until the next clock begins', () => {
    const unit = new FollowedUnit(level());
    unit.happen(morning(0));
    unit.inForce = level({ levelName: 'Gold 2', targetMinutes: { Resolve: 1, NextUpdate: 5 } });
    unit.happen(morning(10), { after: 'Acknowledged', isAnswer: true });
    expect(unit.shown('Resolve')).toEqual(['Running Gold 08:00 open']);
    expect(unit.shown('NextUpdate')).toEqual(['Met Gold 08:00 08:10', 'Running Gold 2 08:10 open']);
  });

  it('go on when a unit is opened again', () => {
    const unit = new FollowedUnit(level());
    unit.happen(morning(0));
    unit.happen(morning(10), { after: 'Acknowledged', isAnswer: true });
    unit.happen(morning(100), { after: 'Resolved' });
    unit.happen(morning(500), { after: 'New' });
    expect(unit.shown('Resolve')).toEqual(['Met Gold 08:00 09:40', 'Running Gold 16:20 open']);
    expect(iso(timesOf(unit.lastOf('Resolve') as UnitClock).dueAt)).toBe(iso(morning(640)));
    expect(unit.shown('Acknowledge')).toEqual(['Met Gold 08:00 08:10', 'Running Gold 16:20 open']);
    expect(unit.shown('FirstAnswer')).toEqual(['Met Gold 08:00 08:10']);
  });

  it('agree with a model that walks through each minute of random histories', () => {
    const kinds = fc.record(
      {
        Acknowledge: fc.integer({ min: 1, max: 300 }),
        FirstAnswer: fc.integer({ min: 1, max: 600 }),
        Resolve: fc.integer({ min: 1, max: 1_500 }),
        NextUpdate: fc.integer({ min: 1, max: 400 }),
      },
      { requiredKeys: [] },
    );
    const levels = fc.tuple(
      ...['a', 'b'].map((serviceLevelId) =>
        fc.record({
          serviceLevelId: fc.constant(serviceLevelId),
          levelName: fc.constant(serviceLevelId),
          warnPercent: fc.constantFrom(50, 75, 100),
          pausesOnHold: fc.boolean(),
          calendar: calendars,
          targetMinutes: kinds,
        }),
      ),
    );
    const steps = fc.array(
      fc.record({
        after: fc.integer({ min: 1, max: 900 }),
        what: fc.oneof(
          fc.record({ after: fc.constantFrom(...workUnitStates) }),
          fc.record({ isAnswer: fc.constant(true) }),
          fc.record({ inForce: fc.constantFrom(0, 1, null) }),
        ),
      }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(levels, starts, steps, fc.integer({ min: 1, max: 900 }), (choices, start, history, rest) => {
        const unit = new FollowedUnit(choices[0] ?? null);
        const model = new MinuteModel();
        let time = startOf(start);
        unit.happen(time);
        model.happen(time, { before: null, after: 'New', isAnswer: false, inForce: unit.inForce, choosesLevel: true });
        for (const { after, what } of history) {
          const before = unit.state;
          model.walk(time, (time += after * minuteMs));
          const inForce = 'inForce' in what ? { inForce: what.inForce === null ? null : (choices[what.inForce] ?? null) } : {};
          const { inForce: _index, ...rest } = { inForce: null, ...what };
          unit.happen(time, { ...rest, ...inForce });
          model.happen(time, {
            before,
            after: unit.state ?? 'New',
            isAnswer: 'isAnswer' in what,
            inForce: unit.inForce,
            choosesLevel: 'inForce' in what,
          });
        }
        model.walk(time, (time += rest * minuteMs));
        expect(
          unit.clocks
            .map((clock) => settled(clock, time))
            .map(({ kind, levelName, started, ended, state, warned, breached, ...clock }) => ({
              kind,
              levelName,
              started,
              ended,
              state,
              warned,
              breached,
              minutes: elapsedMs({ ...clock }, ended ?? time) / minuteMs,
            }))
            .toSorted(inOrder),
        ).toEqual(model.rows().toSorted(inOrder));
        for (const clock of unit.clocks.filter(isRunning)) expect(clock.ended).toBeNull();
      }),
      { numRuns: runs(60, 500) },
    );
  });
});

const inOrder = (
  a: { kind: string; started: number; ended: number | null },
  b: { kind: string; started: number; ended: number | null },
): number => a.kind.localeCompare(b.kind) || a.started - b.started || (a.ended ?? Infinity) - (b.ended ?? Infinity);

interface ModelRow {
  kind: ClockKind;
  level: LevelInForce;
  minutes: number;
  started: number;
  ended: number | null;
  state: UnitClock['state'];
  warned: number | null;
  breached: number | null;
}

interface ModelEvent {
  before: WorkUnitState | null;
  after: WorkUnitState;
  isAnswer: boolean;
  inForce: LevelInForce | null;
  choosesLevel: boolean;
}

/** Counts up one minute at a time, and writes down what it sees. */
class MinuteModel {
  clocks: ModelRow[] = [];
  state: WorkUnitState = 'New';
  answered = false;

  check(row: ModelRow, time: number): void {
    const target = row.level.targetMinutes[row.kind] ?? 0;
    if (row.minutes >= (target * row.level.warnPercent) / 100) row.warned ??= time;
    if (row.minutes >= target) row.breached ??= time;
    if (row.breached !== null) row.state = 'Breached';
  }

  walk(from: number, to: number): void {
    for (const row of this.clocks) {
      if (row.ended !== null || (this.state === 'OnHold' && row.level.pausesOnHold)) continue;
      for (const [minute, counts] of workingMinutes(row.level.calendar, from, to)) {
        if (!counts) continue;
        row.minutes += 1;
        // Half a minute, as of 75 percent of two minutes, has passed within the minute.
        const target = row.level.targetMinutes[row.kind] ?? 0;
        const warn = (target * row.level.warnPercent) / 100;
        if (row.minutes >= warn) row.warned ??= minute + (warn - (row.minutes - 1)) * minuteMs;
        this.check(row, minute + minuteMs);
      }
    }
  }

  happen(time: number, { before, after, isAnswer, inForce, choosesLevel }: ModelEvent): void {
    const isOpen = openStates.includes(after);
    const wasOpen = before !== null && openStates.includes(before);
    this.state = after;
    for (const kind of clockKinds) {
      const isOwed = isOpen && (kind !== 'Acknowledge' || after === 'New') && (kind !== 'FirstAnswer' || !(this.answered || isAnswer));
      const running = this.clocks.find((row) => row.kind === kind && row.ended === null);
      const end = (state: ModelRow['state']) =>
        running && Object.assign(running, { ended: time, state: state === 'Met' && running.breached !== null ? 'Breached' : state });
      const previous = this.clocks.findLast((row) => row.kind === kind);
      let mayBegin =
        !running && (!wasOpen || choosesLevel || (kind === 'Acknowledge' && before !== after) || (kind === 'NextUpdate' && isAnswer));
      if (running && !isOwed) end(after === 'Canceled' ? 'Canceled' : 'Met');
      else if (running && kind === 'NextUpdate' && isAnswer) mayBegin = Boolean(end('Met'));
      else if (running && choosesLevel && running.level.serviceLevelId !== inForce?.serviceLevelId) mayBegin = Boolean(end('Replaced'));
      const target = inForce?.targetMinutes[kind];
      if (mayBegin && isOwed && inForce && target !== undefined) {
        const minutes = previous && (previous.state === 'Replaced' || kind === 'Resolve') ? previous.minutes : 0;
        const row: ModelRow = { kind, level: inForce, minutes, started: time, ended: null, state: 'Running', warned: null, breached: null };
        this.clocks.push(row);
        if (!(after === 'OnHold' && inForce.pausesOnHold)) this.check(row, time);
      }
    }
    for (const row of this.clocks) {
      if (row.ended !== null) continue;
      const isPaused = after === 'OnHold' && row.level.pausesOnHold;
      if (row.breached === null) row.state = isPaused ? 'Paused' : 'Running';
      // Time that another clock brought along may be too long already, which counts from when the clock runs.
      if (!isPaused) this.check(row, time);
    }
    this.answered ||= isAnswer;
  }

  rows() {
    return this.clocks.map(({ level, ...row }) => ({ ...row, levelName: level.levelName }));
  }
}
