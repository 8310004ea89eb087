/** Returns a random selection of the items, in their order; equal seeds give equal selections. */
export function sample<T>(items: readonly T[], size: number, seed: number): T[] {
  if (size >= items.length) return [...items];
  // Mulberry32: a small random number generator, good enough for sampling.
  let state = seed;
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const sampled = items.map((item, index) => ({ item, index, lot: random() })).toSorted((a, b) => a.lot - b.lot);
  return sampled
    .slice(0, size)
    .toSorted((a, b) => a.index - b.index)
    .map(({ item }) => item);
}
