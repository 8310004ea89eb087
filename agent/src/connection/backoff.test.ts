import { describe, expect, it } from 'vitest';
import { awayDelayMs, isAway, retryAfterMs, retryDelayMs } from './backoff.ts';

/** The same numbers in each run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe('backoff', () => {
  it('spreads over 0 to a ceiling that grows to a minute', () => {
    expect([1, 2, 3, 6, 7, 50, 5_000].map((failures) => retryDelayMs(failures, () => 1))).toEqual([
      1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000,
    ]);
    expect(retryDelayMs(50, () => 0)).toBe(0);
  });

  it('brings an agent back within 8 s of an absence of a minute, and ten thousand of them spread over these seconds', () => {
    const random = seeded(42);
    const waits = Array.from({ length: 10_000 }, () => {
      let at = 0;
      for (let failures = 1; at < 60_000; failures += 1) at += awayDelayMs(failures, random);
      return at - 60_000;
    });
    expect(Math.max(...waits)).toBeLessThanOrEqual(8_000);
    const perSecond = Array.from({ length: 8 }, (_, second) => waits.filter((ms) => Math.floor(ms / 1_000) === second).length);
    expect(Math.max(...perSecond)).toBeLessThan(2_700);
    expect(awayDelayMs(5_000, () => 1)).toBe(60_000);
  });

  it.each([
    [503, null, true],
    [502, 'soon', true],
    [503, '5', false],
    [429, null, false],
    [500, null, false],
  ])('takes status %d with Retry-After %s for an absent server: %s', (status, retryAfter, expected) =>
    expect(isAway({ status, retryAfter })).toBe(expected),
  );

  it('reads Retry-After as seconds or as a date', () => {
    expect(retryAfterMs('7')).toBe(7_000);
    expect(retryAfterMs(new Date(10_000).toUTCString(), 4_000)).toBe(6_000);
    expect(retryAfterMs(new Date(1_000).toUTCString(), 4_000)).toBe(0);
    expect(retryAfterMs('999999999')).toBe(3_600_000);
    for (const none of [null, '', 'soon']) expect(retryAfterMs(none)).toBeUndefined();
  });
});
