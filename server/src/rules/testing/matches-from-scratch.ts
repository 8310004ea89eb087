/** A slow reference: the matches of one rule and entity from the times of all hits, whatever the batches in which they came. */

export interface ScratchMatch {
  first: number;
  last: number;
  expires: number;
  count: number;
}

export function matchesFromScratch(
  hits: readonly number[],
  { lifetimeMs, sliding }: { lifetimeMs: number; sliding: boolean },
): ScratchMatch[] {
  const matches: ScratchMatch[] = [];
  for (const at of hits.toSorted((a, b) => a - b)) {
    const match = matches.at(-1);
    if (match && at < match.expires) {
      match.last = at;
      match.count += 1;
      if (sliding) match.expires = at + lifetimeMs;
    } else matches.push({ first: at, last: at, expires: at + lifetimeMs, count: 1 });
  }
  return matches;
}
