/** The longest delay of a timer of Node; a timer with a longer one fires at once. */
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
