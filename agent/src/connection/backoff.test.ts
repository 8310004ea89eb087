import { describe, expect, it } from 'vitest';
import { retryDelayMs, retryAfterMs } from './backoff.ts';

describe('backoff', () => {
  it('spreads over 0 to a ceiling that grows to a minute', () => {
    expect([1, 2, 3, 6, 7, 50, 5_000].map((failures) => retryDelayMs(failures, () => 1))).toEqual([
      1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000,
    ]);
    expect(retryDelayMs(50, () => 0)).toBe(0);
  });

  it('reads Retry-After as seconds or as a date', () => {
    expect(retryAfterMs('7')).toBe(7_000);
    expect(retryAfterMs(new Date(10_000).toUTCString(), 4_000)).toBe(6_000);
    expect(retryAfterMs(new Date(1_000).toUTCString(), 4_000)).toBe(0);
    expect(retryAfterMs('999999999')).toBe(3_600_000);
    for (const none of [null, '', 'soon']) expect(retryAfterMs(none)).toBeUndefined();
  });
});
