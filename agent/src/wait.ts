/** The longest that one timer of Node can wait; a longer one would fire at once. */
const timerMaxMs = 2 ** 31 - 1;

/** Resolves after `ms`, however long, or at once when `signal` aborts. Never rejects. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const until = Date.now() + ms;
    let timer: NodeJS.Timeout;
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const next = () => {
      const left = until - Date.now();
      if (left <= 0) return done();
      timer = setTimeout(next, Math.min(left, timerMaxMs));
    };
    signal.addEventListener('abort', done);
    timer = setTimeout(next, Math.min(Math.max(ms, 0), timerMaxMs));
  });
}

/** Lets loops wait for something that happens elsewhere in this process. */
export interface Bell {
  ring(): void;
  /** Resolves at the next ring, after `ms`, or when `signal` aborts. */
  heard(ms: number, signal: AbortSignal): Promise<void>;
}

export function createBell(): Bell {
  let current = new AbortController();
  return {
    ring: () => {
      const rung = current;
      current = new AbortController();
      rung.abort();
    },
    heard: async (ms, signal) => {
      const stop = new AbortController();
      const abort = () => stop.abort();
      const rung = current.signal;
      if (signal.aborted) return;
      signal.addEventListener('abort', abort);
      rung.addEventListener('abort', abort);
      await wait(ms, stop.signal);
      signal.removeEventListener('abort', abort);
      rung.removeEventListener('abort', abort);
    },
  };
}
