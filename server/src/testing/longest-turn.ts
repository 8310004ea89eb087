/** How long work keeps everybody else waiting. */

/** Returns the longest CPU time in milliseconds for which `work` blocked this thread. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isWorking = true;
  let last = process.threadCpuUsage();
  const look = (): void => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, (now.user + now.system - last.user - last.system) / 1_000);
    last = now;
    if (isWorking) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isWorking = false;
  // Includes the last turn, and work that let nobody else have a turn.
  look();
  return longest;
}

/**
 * Returns the best of up to three tries that stay below `ms`: work that blocks does so each time; a pause of the garbage
 * collector or of a busy machine does not.
 */
export async function longestTurnOf(ms: number, work: () => Promise<unknown>): Promise<number> {
  let longest = Infinity;
  for (let i = 0; i < 3 && longest >= ms; i += 1) longest = Math.min(longest, await longestTurn(work));
  return longest;
}
