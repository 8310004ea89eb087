/**
 * A slow reference: computes the matches of one rule and entity from all hits and recoveries, whatever the batches in which
 * they came.
 */

export interface ScratchMatch {
  first: number;
  last: number;
  expires: number;
  count: number;
}

/** A packet that is a hit or a recovery for the rule. */
export interface ScratchEvent {
  at: number;
  kind: 'hit' | 'recovery';
}

export function matchesFromScratch(
  events: readonly ScratchEvent[],
  { lifetimeMs, sliding }: { lifetimeMs: number; sliding: boolean },
): ScratchMatch[] {
  const matches: ScratchMatch[] = [];
  for (const { at, kind } of events.toSorted((a, b) => a.at - b.at)) {
    const match = matches.at(-1);
    const isOpen = match !== undefined && at < match.expires;
    if (kind === 'recovery') {
      if (isOpen) match.expires = at;
    } else if (isOpen) {
      match.last = at;
      match.count += 1;
      if (sliding) match.expires = at + lifetimeMs;
    } else matches.push({ first: at, last: at, expires: at + lifetimeMs, count: 1 });
  }
  return matches;
}
