import { afterEach, expect, it, vi } from 'vitest';
import { freshSeed } from './runs.ts';

afterEach(() => void vi.unstubAllEnvs());

it('repeats the cases of TEST_SEED, and draws others without it', () => {
  vi.stubEnv('TEST_SEED', '42');
  expect([freshSeed(), freshSeed()]).toEqual([42, 42]);
  vi.stubEnv('TEST_SEED', undefined);
  expect(freshSeed()).not.toBe(freshSeed());
});

it('draws all cases in a long run only', async () => {
  for (const [flag, expected] of [
    ['1', 9],
    [undefined, 2],
  ] as const) {
    vi.stubEnv('LONG_TESTS', flag);
    vi.resetModules();
    expect((await import('./runs.ts')).runs(2, 9)).toBe(expected);
  }
});
