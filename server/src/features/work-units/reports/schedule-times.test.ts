/** When reports by mail are due, across clock changes, and which days they are about. */
import { expect, it } from 'vitest';
import { daysOf, nextRun, type ScheduleTimes } from './schedule-times.rules.ts';

const at = (text: string) => Date.parse(text);
const daily: ScheduleTimes = { rhythm: 'Daily', day: 0, hour: 2, timeZone: 'Europe/Berlin' };
/** The next times, each after the one before. */
function times(schedule: ScheduleTimes, after: string, count: number): string[] {
  const starts: string[] = [];
  for (let last = at(after); starts.length < count; starts.push(new Date(last).toISOString().slice(0, 16))) last = nextRun(schedule, last);
  return starts;
}

it('comes once a day across clock changes, also when the hour is skipped or comes twice', () => {
  // On 2026-03-29 clocks go from 2:00 to 3:00; on 2026-10-25 from 3:00 to 2:00.
  expect(times(daily, '2026-03-27T12:00Z', 3)).toEqual(['2026-03-28T01:00', '2026-03-29T01:00', '2026-03-30T00:00']);
  expect(times(daily, '2026-10-23T12:00Z', 3)).toEqual(['2026-10-24T00:00', '2026-10-25T00:00', '2026-10-26T01:00']);
  expect(times({ ...daily, hour: 8 }, '2026-10-23T12:00Z', 3)).toEqual(['2026-10-24T06:00', '2026-10-25T07:00', '2026-10-26T07:00']);
});

it('comes on its day of the week or of the month by the clocks of its zone', () => {
  const auckland = { hour: 7, timeZone: 'Pacific/Auckland' };
  // Monday 7:00 in Auckland is Sunday evening in UTC.
  expect(times({ ...auckland, rhythm: 'Weekly', day: 1 }, '2026-11-20T00:00Z', 2)).toEqual(['2026-11-22T18:00', '2026-11-29T18:00']);
  expect(times({ ...auckland, rhythm: 'Monthly', day: 28 }, '2026-01-28T00:00Z', 2)).toEqual(['2026-02-27T18:00', '2026-03-27T18:00']);
  expect(times({ rhythm: 'Monthly', day: 1, hour: 0, timeZone: 'UTC' }, '2026-12-01T00:00Z', 1)).toEqual(['2027-01-01T00:00']);
});

it('is about the days before that on which it is sent, by the clocks of its zone', () => {
  const monday = at('2026-11-30T07:00Z');
  expect(daysOf('Last7Days', 'UTC', monday)).toEqual({ from: '2026-11-23', to: '2026-11-29', isOver: true });
  expect(daysOf('LastWeek', 'UTC', monday)).toEqual({ from: '2026-11-23', to: '2026-11-29', isOver: true });
  expect(daysOf('LastWeek', 'UTC', at('2026-11-29T07:00Z'))).toMatchObject({ from: '2026-11-16', to: '2026-11-22' });
  expect(daysOf('LastMonth', 'UTC', monday)).toMatchObject({ from: '2026-10-01', to: '2026-10-31' });
  expect(daysOf('LastMonth', 'UTC', at('2027-01-01T00:00Z'))).toMatchObject({ from: '2026-12-01', to: '2026-12-31' });
  // In Auckland it is December already, and the last day of November is not over in UTC.
  expect(daysOf('LastMonth', 'Pacific/Auckland', at('2026-11-30T18:00Z'))).toEqual({ from: '2026-11-01', to: '2026-11-30', isOver: false });
  expect(daysOf('Last30Days', 'America/New_York', at('2026-11-30T03:00Z'))).toMatchObject({ from: '2026-10-30', to: '2026-11-28' });
});
