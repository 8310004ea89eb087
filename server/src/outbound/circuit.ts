/** Spares a destination that fails: after four failures in a row it is left alone for a growing while. */

export interface Circuit {
  /** Milliseconds until the destination may be tried again; 0 when it may be now. */
  pausedFor(destination: string): number;
  record(destination: string, succeeded: boolean): void;
}

const failuresBeforePause = 4;
const firstPauseMs = 60_000;
const longestPauseMs = 86_400_000;
const kept = 10_000;

/** One per process; a restart starts with clean destinations. */
export function newCircuit(now: () => number = Date.now): Circuit {
  const failing = new Map<string, { failures: number; until: number }>();
  return {
    pausedFor: (destination) => Math.max(0, (failing.get(destination)?.until ?? 0) - now()),
    record(destination, succeeded) {
      if (succeeded) {
        failing.delete(destination);
        return;
      }
      const failures = (failing.get(destination)?.failures ?? 0) + 1;
      const pause = failures < failuresBeforePause ? 0 : Math.min(firstPauseMs * 2 ** (failures - failuresBeforePause), longestPauseMs);
      if (failing.size >= kept) failing.clear();
      failing.set(destination, { failures, until: now() + pause });
    },
  };
}
