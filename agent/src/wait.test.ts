import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBell, wait } from './wait.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('wait', () => {
  it('[DEV-038] waits as long as the longest heartbeat, which no timer of Node can', async () => {
    let over = false;
    void wait(999_999_999_000, new AbortController().signal).then(() => (over = true));
    await vi.advanceTimersByTimeAsync(999_999_998_000);
    expect(over).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(over).toBe(true);
  });

  it('ends at once when it is aborted', async () => {
    const stop = new AbortController();
    const waiting = wait(1e9, stop.signal);
    stop.abort();
    await waiting;
    await wait(1e9, stop.signal);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('hears the bell once per ring', async () => {
    const bell = createBell();
    const { signal } = new AbortController();
    let heard = 0;
    void bell.heard(1e6, signal).then(() => heard++);
    void bell.heard(1e6, signal).then(() => heard++);
    bell.ring();
    await vi.advanceTimersByTimeAsync(0);
    expect(heard).toBe(2);
    void bell.heard(1e6, signal).then(() => heard++);
    await vi.advanceTimersByTimeAsync(1e6 - 1);
    expect(heard).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(heard).toBe(3);
  });
});
