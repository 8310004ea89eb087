import { wait } from './wait.ts';

/** Lets loops wait for an event elsewhere in this process. */
export interface Signal {
  notify(): void;
  /** Resolves at the next `notify`, after `ms`, or when `abort` aborts. */
  wait(ms: number, abort: AbortSignal): Promise<void>;
}

export function createSignal(): Signal {
  let next = new AbortController();
  return {
    notify: () => {
      const current = next;
      next = new AbortController();
      current.abort();
    },
    wait: async (ms, abort) => {
      if (abort.aborted) return;
      // Removes its listeners at the end: `AbortSignal.any` would add a listener to `abort` with every wait.
      const wakeUp = new AbortController();
      const onAbort = () => wakeUp.abort();
      const sources = [abort, next.signal];
      for (const source of sources) source.addEventListener('abort', onAbort);
      await wait(ms, wakeUp.signal);
      for (const source of sources) source.removeEventListener('abort', onAbort);
    },
  };
}
