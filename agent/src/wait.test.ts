import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { wait } from './wait.ts';

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

  it('waits no longer when the clock is set back', async () => {
    let over = false;
    void wait(1_000, new AbortController().signal).then(() => (over = true));
    vi.setSystemTime(Date.now() - 3_600_000);
    await vi.advanceTimersByTimeAsync(1_000);
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
});
