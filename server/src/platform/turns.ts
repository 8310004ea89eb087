import { setImmediate } from 'node:timers/promises';

/** How long work may keep others from their turn. */
const turnMs = 10;

/** For long work in pieces: call it between two pieces; others get their turn when this has worked for a while. */
export function takeTurns(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < turnMs) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
