import { matchSorter, rankings } from 'match-sorter';

/** The items whose text contains every typed word, literally or as initials; best matches first, at most `max`. */
export function bestMatches<T>(typed: string, all: readonly T[], textOf: (item: T) => string, max = Infinity): T[] {
  const options = {
    keys: [textOf],
    threshold: rankings.ACRONYM,
    baseSort: (a: { index: number }, b: { index: number }) => a.index - b.index,
  };
  return typed
    .split(/\s+/)
    .reduceRight((left, word) => matchSorter(left, word, options), [...all])
    .slice(0, max);
}
