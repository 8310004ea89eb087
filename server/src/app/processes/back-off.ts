/** When a process that died is started again. */

const firstMs = 250;
const longestMs = 30_000;
/** A process that lived so long was well: what ended it now is something new. */
const longLifeMs = 30_000;

/** Returns the delays before the next starts, given how long each life was: none at first, then longer ones while lives are short. */
export function createBackOff(): (livedMs: number) => number {
  let shortLives = 0;
  return (livedMs) => {
    shortLives = livedMs >= longLifeMs ? 0 : shortLives + 1;
    return shortLives <= 1 ? 0 : Math.min(longestMs, firstMs * 2 ** (shortLives - 2));
  };
}
