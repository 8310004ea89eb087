import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { learnNow, nowMs } from './now.ts';

const dateOf = (ms: number): string => new Date(ms).toUTCString();

beforeEach(() => vi.useFakeTimers({ now: Date.UTC(2026, 4, 1, 12) }));
afterEach(() => {
  learnNow(dateOf(Date.now()), Date.now());
  vi.useRealTimers();
});

it('follows the clock of the server when that of the browser is off, and the own one when it is not', () => {
  learnNow(dateOf(Date.now() - 2_000), Date.now());
  expect(nowMs()).toBe(Date.now());
  learnNow(dateOf(Date.now() + 600_000), Date.now());
  expect(nowMs() - Date.now()).toBe(600_500);
  // Whole seconds say nothing new.
  learnNow(dateOf(Date.now() + 599_000), Date.now());
  expect(nowMs() - Date.now()).toBe(600_500);
  learnNow(dateOf(Date.now()), Date.now());
  expect(nowMs()).toBe(Date.now());
});

it('learns nothing from an answer without a time, or one that took long', () => {
  learnNow(null, Date.now());
  learnNow('yesterday', Date.now());
  learnNow(dateOf(Date.now() - 600_000), Date.now() - 20_000);
  expect(nowMs()).toBe(Date.now());
});
