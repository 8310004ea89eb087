import { setImmediate } from 'node:timers/promises';

/** How long work may block the event loop. */
const turnMs = 10;

/** For long work in pieces: call the returned function between two pieces. It yields to other work after a while. */
export function takeTurns(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < turnMs) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
