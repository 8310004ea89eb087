import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finalShifts, gapsOf, layerShifts, neverOnCall, onCallAt, type Layer, type Override, type OnCallTimes } from './shifts.ts';

const layer = (change: Partial<Layer> = {}): Layer => ({
  name: 'First line',
  people: ['ann', 'bob', 'cem'],
  start: '2026-03-23T09:00',
  unit: 'Weeks',
  every: 1,
  restrictions: [],
  holidays: 'Same',
  ...change,
});
const berlin = (layers: Layer[], holidays: string[] = []): OnCallTimes => ({ timeZone: 'Europe/Berlin', holidays, layers });
const at = (text: string): number => Date.parse(text);
const shown = (schedule: OnCallTimes, from: string, to: string, overrides: Override[] = []) =>
  finalShifts(schedule, overrides, at(from), at(to)).map(
    (finalShift) =>
      `${new Date(finalShift.from).toISOString().slice(5, 16)} ${finalShift.personId}${finalShift.layer === null ? ' (override)' : ''}`,
  );

describe('shifts of an on-call schedule', () => {
  it('hands over at the same local time before and after a change of the clocks', () => {
    // Clocks in Berlin go forward on 29 March 2026.
    expect(shown(berlin([layer()]), '2026-03-24T00:00Z', '2026-04-14T00:00Z')).toEqual([
      '03-24T00:00 ann',
      '03-30T07:00 bob',
      '04-06T07:00 cem',
      '04-13T07:00 ann',
    ]);
  });

  it('hands over once at a local time that clocks repeat, and at the change where they skip it', () => {
    const daily = layer({ unit: 'Days', start: '2026-03-01T02:30', people: ['ann', 'bob'] });
    expect(shown(berlin([daily]), '2026-03-28T12:00Z', '2026-03-30T12:00Z').slice(1)).toEqual(['03-29T01:00 ann', '03-30T00:30 bob']);
    expect(shown(berlin([daily]), '2026-10-24T12:00Z', '2026-10-26T12:00Z').slice(1)).toEqual(['10-25T00:30 ann', '10-26T01:30 bob']);
  });

  it('gives the time to the first layer that has somebody, and to an override before all', () => {
    const office = layer({
      name: 'Office',
      people: ['ann'],
      restrictions: [{ days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' }],
      holidays: 'Off',
    });
    const schedule = berlin([office, layer({ name: 'Otherwise', people: ['bob'] })], ['2026-05-01']);
    expect(
      shown(schedule, '2026-04-29T22:00Z', '2026-05-02T22:00Z', [
        { personId: 'cem', from: at('2026-04-30T10:00Z'), to: at('2026-04-30T12:00Z') },
        { personId: 'dan', from: at('2026-04-30T11:00Z'), to: at('2026-04-30T13:00Z') },
      ]),
    ).toEqual([
      '04-29T22:00 bob',
      '04-30T06:00 ann',
      '04-30T10:00 cem (override)',
      '04-30T11:00 dan (override)',
      '04-30T13:00 ann',
      '04-30T16:00 bob',
    ]);
  });

  it('keeps a night that began on a weekday, and a layer of holidays alone', () => {
    const nights = layer({ people: ['ann'], restrictions: [{ days: [5], from: '22:00', to: '06:00' }] });
    expect(layerShifts(nights, berlin([]), at('2026-05-01T00:00Z'), at('2026-05-04T00:00Z'))).toEqual([
      { from: at('2026-05-01T20:00Z'), to: at('2026-05-02T04:00Z'), personId: 'ann' },
    ]);
    const feasts = layer({ people: ['bob'], holidays: 'Only' });
    const schedule = berlin([feasts], ['2026-05-01']);
    const final = finalShifts(schedule, [], at('2026-04-30T00:00Z'), at('2026-05-03T00:00Z'));
    expect(final.map(({ from, to }) => [from, to])).toEqual([[at('2026-04-30T22:00Z'), at('2026-05-01T22:00Z')]]);
    expect(gapsOf(final, at('2026-04-30T00:00Z'), at('2026-05-03T00:00Z'))).toEqual([
      { from: at('2026-04-30T00:00Z'), to: at('2026-04-30T22:00Z') },
      { from: at('2026-05-01T22:00Z'), to: at('2026-05-03T00:00Z') },
    ]);
  });

  it('knows who never has hours, by turns that always fall on the same days', () => {
    const weekdays = [{ days: [1, 2, 3, 4, 5], from: '00:00', to: '24:00' }];
    const days = (count: number, change: Partial<Layer> = {}) =>
      layer({
        people: Array.from('abcdefghijklmn').slice(0, count),
        start: '2026-03-23T00:00',
        unit: 'Days',
        restrictions: weekdays,
        ...change,
      });
    expect(neverOnCall(days(7))).toEqual(['f', 'g']);
    expect(neverOnCall(days(14))).toEqual(['f', 'g', 'm', 'n']);
    // At nine, the turn of Friday ends on Saturday, and that of Sunday has hours of Monday.
    expect(neverOnCall(days(7, { start: '2026-03-23T09:00' }))).toEqual(['f']);
    expect(neverOnCall(days(7, { every: 2 }))).toEqual(['g']);
    for (const change of [{ every: 3 }, { unit: 'Weeks' as const }, { restrictions: [] }, { people: [] }])
      expect(neverOnCall(days(7, change))).toEqual([]);
    expect(neverOnCall(days(3))).toEqual([]);
    expect(neverOnCall(days(7, { people: Array.from('abcdefa') }))).toEqual(['f']);
    expect(neverOnCall(days(2, { unit: 'Hours', every: 12, restrictions: [{ days: [1], from: '22:00', to: '06:00' }] }))).toEqual([]);
    expect(neverOnCall(days(2, { unit: 'Hours', every: 12, restrictions: [{ days: [1], from: '01:00', to: '06:00' }] }))).toEqual(['b']);
  });

  it('has nobody before its first turn and in a layer without people', () => {
    const schedule = berlin([layer({ people: [] }), layer({ people: ['ann'] })]);
    expect(onCallAt(schedule, [], at('2026-03-23T07:59Z'))).toBeUndefined();
    expect(onCallAt(schedule, [], at('2026-03-23T08:00Z'))).toBe('ann');
  });
});

// The reference model: computes each answer from clocks alone, without arithmetic on offsets.
const clocks = new Map<string, Intl.DateTimeFormat>();
function clock(timeZone: string, instant: number): string {
  let format = clocks.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
    clocks.set(timeZone, format);
  }
  return format.format(instant).replace(' ', 'T');
}
const quarter = 900_000;
const textOf = (local: number): string => new Date(local).toISOString().slice(0, 16);

/** The first quarter of an hour at which clocks show this local time or a later one. */
function firstAt(timeZone: string, local: number): number {
  for (let instant = local - 15 * 4 * quarter; ; instant += quarter) if (clock(timeZone, instant) >= textOf(local)) return instant;
}

const lengths = { Hours: 4 * quarter, Days: 96 * quarter, Weeks: 672 * quarter };
const minutes = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

function modelOf(layer: Layer, { timeZone, holidays }: OnCallTimes, instant: number): string | undefined {
  const length = lengths[layer.unit] * layer.every;
  const start = Date.parse(`${layer.start}Z`);
  const shows = Date.parse(`${clock(timeZone, instant)}Z`);
  let turn = Math.floor((shows - start) / length) + 2;
  while (firstAt(timeZone, start + turn * length) > instant) turn -= 1;
  if (turn < 0 || layer.people.length === 0) return undefined;
  const restrictions = layer.restrictions.length > 0 ? layer.restrictions : [{ days: [0, 1, 2, 3, 4, 5, 6], from: '00:00', to: '24:00' }];
  const counts =
    (layer.restrictions.length === 0 && layer.holidays === 'Same') ||
    [-2, -1, 0, 1].some((away) => {
      const day = Math.floor(shows / lengths.Days + away) * lengths.Days;
      const isHoliday = holidays.includes(textOf(day).slice(0, 10));
      if (layer.holidays === (isHoliday ? 'Off' : 'Only')) return false;
      return restrictions.some(({ days, from, to }) => {
        if (!days.includes(new Date(day).getUTCDay())) return false;
        const ends = minutes(to) + (minutes(to) <= minutes(from) ? 1_440 : 0);
        return firstAt(timeZone, day + minutes(from) * 60_000) <= instant && instant < firstAt(timeZone, day + ends * 60_000);
      });
    });
  return counts ? layer.people[turn % layer.people.length] : undefined;
}

const time = fc.integer({ min: 0, max: 95 }).map((quarters) => textOf(quarters * quarter).slice(11));
const person = fc.constantFrom<string>('ann', 'bob', 'cem', 'dan');
// Time zones and dates of clock changes: by an hour in Berlin and New York, half an hour on Lord Howe; two have no changes.
const zones = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC');
const around = fc.constantFrom('2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01', '2026-07-15');
const layers = (near: string): fc.Arbitrary<Layer> =>
  fc.record({
    name: fc.constant('x'),
    people: fc.array(person, { maxLength: 4 }),
    start: fc
      .tuple(fc.integer({ min: -30, max: 2 }), time)
      .map(([away, hour]) => `${textOf(Date.parse(near) + away * lengths.Days).slice(0, 10)}T${hour}`),
    unit: fc.constantFrom('Hours', 'Days', 'Weeks'),
    every: fc.integer({ min: 1, max: 5 }),
    restrictions: fc.array(
      fc.record({
        days: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }),
        from: time,
        to: fc.oneof(time, fc.constant('24:00')),
      }),
      { maxLength: 2 },
    ),
    holidays: fc.constantFrom('Same', 'Off', 'Only'),
  });

describe('for any schedule', () => {
  it('names as never on call exactly the people without a shift in half a year', () => {
    const hours = fc.integer({ min: 0, max: 23 }).map((hour) => `${String(hour).padStart(2, '0')}:00`);
    const restriction = fc.record({
      days: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 3 }),
      from: hours,
      to: hours,
    });
    const turns = fc.constantFrom(
      { unit: 'Hours' as const, every: 8 },
      { unit: 'Hours' as const, every: 36 },
      { unit: 'Days' as const, every: 1 },
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        turns,
        hours,
        fc.array(restriction, { minLength: 1, maxLength: 2 }),
        (count, turn, time, restrictions) => {
          const people = Array.from('abcdefghi').slice(0, count);
          const one = layer({ people, start: `2026-03-23T${time}`, restrictions, ...turn });
          const shifts = layerShifts(one, { timeZone: 'UTC', holidays: [] }, at('2026-03-23T00:00Z'), at('2026-09-23T00:00Z'));
          const busy = new Set(shifts.map(({ personId }) => personId));
          expect(neverOnCall(one)).toEqual(people.filter((person) => !busy.has(person)));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('agrees at every moment with a model that only reads clocks', () => {
    fc.assert(
      fc.property(
        around.chain((near) =>
          fc.record({
            timeZone: zones,
            holidays: fc.constantFrom<string[]>([], [near]),
            layers: fc.array(layers(near), { maxLength: 3 }),
            moments: fc.array(
              fc.integer({ min: -3 * 96, max: 3 * 96 }).map((quarters) => Date.parse(near) + quarters * quarter),
              { minLength: 3, maxLength: 6 },
            ),
            overrides: fc.array(
              fc.tuple(person, fc.integer({ min: -200, max: 200 }), fc.integer({ min: 1, max: 90 })).map(([personId, away, long]) => ({
                personId,
                from: Date.parse(near) + away * quarter,
                to: Date.parse(near) + (away + long) * quarter,
              })),
              { maxLength: 3 },
            ),
          }),
        ),
        ({ moments, overrides, ...schedule }) => {
          for (const moment of moments) {
            const override = overrides.findLast((override) => override.from <= moment && moment < override.to);
            let expected: string | undefined = override?.personId;
            for (const one of schedule.layers) expected ??= modelOf(one, schedule, moment);
            expect(onCallAt(schedule, overrides, moment)).toBe(expected);
          }
          const from = Math.min(...moments);
          const to = Math.max(...moments) + 1;
          const final = finalShifts(schedule, overrides, from, to);
          for (const moment of moments)
            expect(final.find((item) => item.from <= moment && moment < item.to)?.personId).toBe(onCallAt(schedule, overrides, moment));
          // Shifts and gaps together cover the period, in order and without overlaps.
          const parts = [...final, ...gapsOf(final, from, to)].toSorted((a, b) => a.from - b.from);
          expect(parts.map((part) => part.from)).toEqual([from, ...parts.slice(0, -1).map((part) => part.to)]);
          expect(parts.at(-1)?.to).toBe(to);
        },
      ),
      { numRuns: 150 },
    );
  });
});
