import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSignal } from './signal.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('wakes every waiting loop once per notification', async () => {
  const event = createSignal();
  const { signal } = new AbortController();
  let wakeUps = 0;
  void event.wait(1e6, signal).then(() => wakeUps++);
  void event.wait(1e6, signal).then(() => wakeUps++);
  event.notify();
  await vi.advanceTimersByTimeAsync(0);
  expect(wakeUps).toBe(2);
  void event.wait(1e6, signal).then(() => wakeUps++);
  await vi.advanceTimersByTimeAsync(1e6 - 1);
  expect(wakeUps).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(wakeUps).toBe(3);
});

it('ends a wait when the loop is stopped', async () => {
  const stop = new AbortController();
  const waiting = createSignal().wait(1e6, stop.signal);
  stop.abort();
  await waiting;
  expect(vi.getTimerCount()).toBe(0);
});
