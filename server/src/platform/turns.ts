import { setImmediate } from 'node:timers/promises';

/** Maximum time for which work may block the event loop. */
const turnMs = 10;

/** For long work in pieces: await the returned function between two pieces. It yields to other work every 10 ms. */
export function takeTurns(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < turnMs) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
