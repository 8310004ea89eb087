/** The maximum delay of a Node timer, in milliseconds; a timer with a longer delay fires at once. */
const timerMaxMs = 2 ** 31 - 1;

/** Resolves after `ms`, however long, or at once when `signal` aborts. Never rejects. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const until = performance.now() + ms;
    let timer: NodeJS.Timeout;
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const next = () => {
      const left = until - performance.now();
      if (left <= 0) return done();
      timer = setTimeout(next, Math.min(left, timerMaxMs));
    };
    signal.addEventListener('abort', done);
    timer = setTimeout(next, Math.min(Math.max(ms, 0), timerMaxMs));
  });
}

/** Calls `run` after `ms`, however long, unless the returned function is called first. */
export function callAfter(ms: number, run: () => void): () => void {
  const cancelled = new AbortController();
  void wait(ms, cancelled.signal).then(() => {
    if (!cancelled.signal.aborted) run();
  });
  return () => cancelled.abort();
}
