import { expect, it } from 'vitest';
import { daysUntil, niceTop, openOverTime, totalOf } from './open-over-time.ts';

const days = ['2026-11-19', '2026-11-20', '2026-11-21'];

it('counts back from what is open now', () => {
  const now = [
    { severityId: 'Sev1', stateId: 'InProgress', n: 2 },
    { severityId: 'Sev3', stateId: 'New', n: 1 },
  ];
  const created = [
    { day: '2026-11-21', severityId: 'Sev3', n: 1 },
    { day: '2026-11-20', severityId: 'Sev1', n: 1 },
  ];
  const moved = [
    { day: '2026-11-21', oldValue: 'Acknowledged', newValue: 'InProgress', workUnit: { severityId: 'Sev1' }, n: 1 },
    { day: '2026-11-20', oldValue: 'New', newValue: 'Acknowledged', workUnit: { severityId: 'Sev1' }, n: 1 },
    { day: '2026-11-20', oldValue: 'InProgress', newValue: 'Resolved', workUnit: { severityId: 'Sev0' }, n: 3 },
  ];
  const [first, second, today] = openOverTime(days, now, created, moved);
  expect(today?.byState).toMatchObject({ New: 1, InProgress: 2, Acknowledged: 0 });
  expect(second?.byState).toMatchObject({ New: 0, InProgress: 1, Acknowledged: 1 });
  expect(first?.byState).toMatchObject({ New: 0, InProgress: 4, Acknowledged: 0 });
  expect([first, second, today].map((day) => day && totalOf(day))).toEqual([4, 2, 3]);
  expect(first?.bySeverity).toEqual({ Sev0: 3, Sev1: 1, Sev2: 0, Sev3: 0, Sev4: 0 });
});

it('counts a unit that was opened again as closed meanwhile', () => {
  const moved = [
    { day: '2026-11-21', oldValue: 'Resolved', newValue: 'InProgress', workUnit: { severityId: 'Sev2' }, n: 1 },
    { day: '2026-11-20', oldValue: 'InProgress', newValue: 'Resolved', workUnit: { severityId: 'Sev2' }, n: 1 },
  ];
  const points = openOverTime(days, [{ severityId: 'Sev2', stateId: 'InProgress', n: 1 }], [], moved);
  expect(points.map((day) => [totalOf(day), day.byState['InProgress']])).toEqual([
    [1, 1],
    [0, 0],
    [1, 1],
  ]);
});

it('names the days of the viewer, the last one today', () => {
  expect(daysUntil(new Date(2026, 2, 2, 0, 5), 4)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02']);
});

it.each([
  [0, 4],
  [5, 6],
  [13, 14],
  [57, 58],
  [180, 180],
  [1_234, 1_400],
])('draws %s under a scale to %s', (max, top) => {
  expect(niceTop(max)).toBe(top);
});
