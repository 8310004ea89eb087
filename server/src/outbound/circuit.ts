/** Spares a destination that fails: after four failures in a row it is left alone for a growing while, after forty for good (security, section 3). */

export interface Circuit {
  /** Milliseconds until the destination may be tried again for this owner: 0 when it may be now, Infinity when it is disabled. */
  pausedFor(destination: string, owner: string): number | Promise<number>;
  record(destination: string, owner: string, failure: string | undefined): void | Promise<void>;
}

export const failuresBeforePause = 4;
export const failuresBeforeEnd = 40;
export const firstPauseMs = 60_000;
export const longestPauseMs = 86_400_000;
const kept = 10_000;

/** How long after that many failures in a row. */
function pauseMs(failures: number): number {
  if (failures >= failuresBeforeEnd) return Infinity;
  return failures < failuresBeforePause ? 0 : Math.min(firstPauseMs * 2 ** (failures - failuresBeforePause), longestPauseMs);
}

/** One per process; a restart starts with clean destinations. */
export function newCircuit(now: () => number = Date.now): Circuit {
  const failing = new Map<string, { failures: number; until: number }>();
  const keyOf = (destination: string, owner: string): string => `${owner} ${destination}`;
  return {
    pausedFor: (destination, owner) => Math.max(0, (failing.get(keyOf(destination, owner))?.until ?? 0) - now()),
    record(destination, owner, failure) {
      const key = keyOf(destination, owner);
      if (failure === undefined) {
        failing.delete(key);
        return;
      }
      const before = failing.get(key);
      // Calls that were under way when the pause began tell nothing new.
      if (before && before.until > now()) return;
      const failures = (before?.failures ?? 0) + 1;
      if (failing.size >= kept) failing.clear();
      failing.set(key, { failures, until: now() + pauseMs(failures) });
    },
  };
}
