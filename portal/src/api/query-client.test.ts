import { expect, it } from 'vitest';
import { RequestFailed } from './client.ts';
import { queryClient } from './query-client.ts';

const { retry, retryDelay } = queryClient.getDefaultOptions().queries ?? {};

it('reads twice more after a failure of the server or network, and not after a refusal', () => {
  const repeats = (times: number, error: Error) => (retry as (times: number, error: Error) => boolean)(times, error);
  for (const error of [new RequestFailed(0, ''), new RequestFailed(500, ''), new Error('Broken')])
    expect([0, 1, 2].map((times) => repeats(times, error))).toEqual([true, true, false]);
  for (const status of [400, 403, 404, 499]) expect(repeats(0, new RequestFailed(status, ''))).toBe(false);
});

it('waits twice as long before each, and at most eight seconds', () => {
  const wait = retryDelay as (times: number, error: Error) => number;
  expect([0, 1, 4, 5].map((times) => wait(times, new Error('Broken')))).toEqual([500, 1_000, 8_000, 8_000]);
});
