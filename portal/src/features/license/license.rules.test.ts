import { expect, it } from 'vitest';
import { daysLeft, licenseBanner } from './license.rules.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const inDays = (days: number) => new Date(now + days * 86_400_000).toISOString();

it('[LIC-011][LIC-012] shows from 45 days on and not before', () => {
  expect(licenseBanner(inDays(46), now)).toBeNull();
  expect(licenseBanner(inDays(45), now)).not.toBeNull();
});
it('[LIC-013] is an error below 10 days', () => {
  for (const days of [9, 9.5, 9.99]) expect(licenseBanner(inDays(days), now)?.severity).toBe('error');
});
it('[LIC-014] is a warning from 10 to 45 days', () => {
  expect(licenseBanner(inDays(10), now)?.severity).toBe('warning');
  expect(licenseBanner(inDays(45), now)?.severity).toBe('warning');
});
it('[LIC-015] counts the days', () => {
  expect(licenseBanner(inDays(12), now)?.text).toBe('Your license expires in 12 day(s)');
  expect(licenseBanner(inDays(0.5), now)?.text).toBe('Your license expires in 1 day(s)');
});
it('[LIC-016] says expired once the instant has passed', () => {
  expect(licenseBanner(inDays(0), now)).toEqual({ severity: 'error', text: 'Your license has expired' });
  expect(daysLeft(inDays(-3), now)).toBe(0);
});
it('shows nothing while the expiration is not known', () => {
  expect(licenseBanner(undefined, now)).toBeNull();
});
