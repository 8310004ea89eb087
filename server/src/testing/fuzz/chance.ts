/** Random choices that are the same for the same seed. */

export interface Chance {
  /** A whole number of at least 0 and less than `n`. */
  below(n: number): number;
  /** True with the probability 1 / `n`. */
  once(n: number): boolean;
  pick<T>(from: readonly [T, ...T[]]): T;
  /** A random element; undefined for an empty list. */
  some<T>(from: readonly T[]): T | undefined;
  times<T>(max: number, make: () => T): T[];
}

/** Mulberry32: 32 bits of state are enough for tests. */
export function chance(seed: number): Chance {
  let state = seed >>> 0;
  const below = (n: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * n);
  };
  return {
    below,
    once: (n) => below(n) === 0,
    pick: (from) => from[below(from.length)] ?? from[0],
    some: (from) => from[below(from.length)],
    times: (max, make) => Array.from({ length: below(max + 1) }, make),
  };
}
