import { expect, it } from 'vitest';
import { backoffMs, doublingDelays } from './backoff.ts';

it('doubles from the first delay to the last, which stays', () => {
  const delaysMs = doublingDelays(1_000, 60_000);
  expect([0, 1, 2, 3, 6, 7, 8, 5_000].map((failures) => backoffMs(failures, { delaysMs }))).toEqual([
    1_000, 1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000,
  ]);
  expect(doublingDelays(500, 500)).toEqual([500]);
});

it('spreads a delay between the ends of its jitter', () => {
  const backoff = { delaysMs: [10_000], jitter: [0.8, 1.2] } as const;
  expect([0, 0.5, 1].map((random) => backoffMs(1, backoff, () => random))).toEqual([8_000, 10_000, 12_000]);
});
