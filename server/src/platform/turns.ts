import { setImmediate } from 'node:timers/promises';

/** Maximum time for which work may block the event loop. */
const turnMs = 10;

/** Lets others have a turn; awaited between two pieces of work. */
export type GiveTurn = () => Promise<void> | undefined;

/** For long work in pieces: await the returned function between two pieces. It yields to other work every 10 ms. */
export function takeTurns(): GiveTurn {
  let since = performance.now();
  return () => {
    if (performance.now() - since < turnMs) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
