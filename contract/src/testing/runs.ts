/** How much random tests repeat, and the seed of those that do not take theirs from fast-check. */
/** Whether this is `npm run test:long`. */
export const isLong = process.env['LONG_TESTS'] === '1';

/** The number of random cases of a test that takes many seconds: `usual` in `npm test`, `long` in `npm run test:long`. */
export function runs(usual: number, long: number): number {
  return isLong ? long : usual;
}

/** Returns another seed in each run, or TEST_SEED. A test that uses it tells the seed when it fails, so that it can be repeated. */
export function freshSeed(): number {
  return Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 1_000_000_000));
}
