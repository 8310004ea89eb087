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

/** A packet that is a hit or a recovery for the rule, or neither although it has their reading. */
export interface ScratchEvent {
  at: number;
  kind: 'hit' | 'recovery' | 'neither';
}

export function matchesFromScratch(
  events: readonly ScratchEvent[],
  { lifetimeMs, sliding, clearForMs = 0 }: { lifetimeMs: number; sliding: boolean; clearForMs?: number },
): ScratchMatch[] {
  const matches: ScratchMatch[] = [];
  let recoversSince: number | undefined;
  for (const { at, kind } of events.toSorted((a, b) => a.at - b.at)) {
    const match = matches.at(-1);
    const isOpen = match !== undefined && at < match.expires;
    const lasts = ({ first, last }: ScratchMatch) => Math.max((sliding ? last : first) + lifetimeMs, last + clearForMs);
    if (kind === 'hit') {
      if (isOpen) {
        match.last = at;
        match.count += 1;
        match.expires = lasts(match);
      } else {
        const next = { first: at, last: at, expires: 0, count: 1 };
        matches.push({ ...next, expires: lasts(next) });
      }
      recoversSince = undefined;
    } else if (kind === 'recovery') {
      if (isOpen && recoversSince === undefined) {
        match.expires = at + clearForMs;
        recoversSince = clearForMs > 0 ? at : undefined;
      }
    } else if (isOpen && recoversSince !== undefined) {
      // A recovery that is interrupted counts as none.
      match.expires = Math.max(lasts(match), at);
      recoversSince = undefined;
    }
  }
  return matches;
}
