import { expect, it } from 'vitest';
import { announcedMs, maintenanceNews, type MaintenancePhase } from './maintenance-news.rules.ts';

const hour = 3_600_000;
const now = 1_000 * hour;
const window = (from: number, to: number) => ({ from: now + from * hour, to: now + to * hour });
const reported = (phase: MaintenancePhase, from: number, to: number, ago = 1) => ({
  phase,
  ...window(from, to),
  reportedAt: now - ago * hour,
});
const news = (...of: [Parameters<typeof maintenanceNews>[0], Parameters<typeof maintenanceNews>[1]]) => maintenanceNews(...of, now)?.what;

it('tells what is new, and nothing of what is over or far away', () => {
  expect(news(undefined, window(1, 2))).toBe('Planned');
  expect(news(undefined, window(-1, 2))).toBe('Started');
  expect(news(undefined, window(-2, -1))).toBeUndefined();
  expect(news(undefined, { from: now + announcedMs + 1, to: now + 2 * announcedMs })).toBeUndefined();
  expect(news(undefined, { from: now + announcedMs, to: now + 2 * announcedMs })).toBe('Planned');
});

it('tells each phase once, its edges included', () => {
  expect(news(reported('Planned', 1, 2), window(1, 2))).toBeUndefined();
  expect(news(reported('Planned', 0, 2), window(0, 2))).toBe('Started');
  expect(news(reported('Started', -1, 0), window(-1, 0))).toBe('Ended');
  expect(news(reported('Planned', -2, -1), window(-2, -1))).toBe('Ended');
  expect(news(reported('Ended', -2, -1), window(-2, -1))).toBeUndefined();
  expect(news(reported('Ended', -2, -1), undefined)).toBeUndefined();
});

it('tells another time after a pause, and what was started too early as a change', () => {
  expect(news(reported('Planned', 1, 2, 0), window(1, 3))).toBeUndefined();
  expect(news(reported('Planned', 1, 2), window(1, 3))).toBe('Changed');
  expect(news(reported('Started', -1, 2), window(-1, 3))).toBe('Changed');
  expect(news(reported('Started', -1, 2), window(-2, 2))).toBeUndefined();
  expect(news(reported('Started', -1, 2), window(1, 2))).toBe('Changed');
});

it('tells what does not take place, unless its time has passed', () => {
  expect(news(reported('Planned', 1, 2), undefined)).toBe('Canceled');
  expect(news(reported('Planned', 1, 2), window(0, 0))).toBe('Canceled');
  expect(news(reported('Planned', -2, -1), undefined)).toBe('Ended');
  expect(news(reported('Started', -1, 2), undefined)).toBe('Ended');
});
