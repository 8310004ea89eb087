import { expect, it } from 'vitest';
import { daysUntil, niceTop, sumsByDay, totalOf } from './open-over-time.ts';

it('sums what was open by day, a day without any too', () => {
  const rows = [
    { day: '2026-11-20', severityId: 'Sev1', stateId: 'InProgress', n: 2 },
    { day: '2026-11-20', severityId: 'Sev3', stateId: 'New', n: 1 },
    { day: '2026-11-20', severityId: 'Sev3', stateId: 'InProgress', n: 4 },
  ];
  const [first, second] = sumsByDay(['2026-11-19', '2026-11-20'], rows);
  expect(first && totalOf(first)).toBe(0);
  expect(second?.bySeverity).toEqual({ Sev0: 0, Sev1: 2, Sev2: 0, Sev3: 5, Sev4: 0 });
  expect(second?.byState).toMatchObject({ New: 1, InProgress: 6, OnHold: 0 });
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
