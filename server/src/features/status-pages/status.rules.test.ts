import { expect, it } from 'vitest';
import { shownDays, spansOfUnit, statusOf } from './status.rules.ts';

const hour = 3_600_000;
const now = Date.UTC(2026, 10, 23, 12);
const none = { name: 'Mail', spans: [], isInMaintenance: false };

it('shows the worst of each day, and what is the case now', () => {
  const spans = [
    { level: 'Outage' as const, from: now - 72 * hour, to: now - 70 * hour },
    { level: 'Degraded' as const, from: now - 71 * hour, to: now - 40 * hour },
    { level: 'Degraded' as const, from: now - hour, to: null },
  ];
  const { level, days, uptime } = statusOf({ ...none, spans, isInMaintenance: true }, now, 0);
  expect(level).toBe('Degraded');
  expect(days).toHaveLength(shownDays);
  expect(days.slice(-4).map((day) => day.level)).toEqual(['Outage', 'Degraded', 'Operational', 'Degraded']);
  expect(days.slice(0, -4).every((day) => day.level === 'Operational')).toBe(true);
  expect(uptime).toBeCloseTo(100 - (2 * 100) / (89 * 24 + 12), 10);
});

it('counts outages at the same time once, and none before there was anything to watch', () => {
  const outage = { level: 'Outage' as const, from: now - 4 * hour, to: now - 2 * hour };
  const since = now - 8 * hour;
  const { days, uptime } = statusOf({ ...none, spans: [outage, { ...outage, from: now - 3 * hour, to: now - hour }] }, now, since);
  expect(uptime).toBeCloseTo(100 - 300 / 8, 10);
  expect(days.filter((day) => day.level !== null)).toHaveLength(1);
  expect(statusOf({ ...none, isInMaintenance: true }, now, since)).toMatchObject({ level: 'Maintenance', uptime: 100 });
  expect(statusOf(none, now, now)).toMatchObject({ level: 'Operational', uptime: 100 });
});

it('counts a unit while it was open, with the severity that it had at each time', () => {
  const unit = { severity: 'Sev3', state: 'Closed', created: 0, ended: 90, changes: [] };
  const severity = (at: number, before: string, after: string) => ({ field: 'severityId' as const, before, after, at });
  const state = (at: number, before: string, after: string) => ({ field: 'stateId' as const, before, after, at });
  const corrected = [
    severity(10, 'Sev1', 'Sev2'),
    state(20, 'New', 'Acknowledged'),
    severity(30, 'Sev2', 'Sev3'),
    state(40, 'Acknowledged', 'Closed'),
  ];
  expect(spansOfUnit({ ...unit, changes: corrected })).toEqual([
    { level: 'Outage', from: 0, to: 10 },
    { level: 'Degraded', from: 10, to: 30 },
  ]);
  const reopened = [state(10, 'New', 'Resolved'), state(50, 'Resolved', 'New')];
  expect(spansOfUnit({ ...unit, severity: 'Sev0', state: 'New', ended: null, changes: reopened })).toEqual([
    { level: 'Outage', from: 0, to: 10 },
    { level: 'Outage', from: 50, to: null },
  ]);
  expect(spansOfUnit({ ...unit, severity: 'Sev1', changes: [state(40, 'New', 'Canceled')], state: 'Canceled' })).toEqual([
    { level: 'Outage', from: 0, to: 40 },
  ]);
  // Without a record of its changes.
  expect(spansOfUnit({ ...unit, severity: 'Sev2' })).toEqual([{ level: 'Degraded', from: 0, to: 90 }]);
  expect(spansOfUnit(unit)).toEqual([]);
});
