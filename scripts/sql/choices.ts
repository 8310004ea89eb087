/** Enumerates the branches of an evaluation: each run calls `choose` and gets the same answer for the same key. */
export interface WayChoices {
  /** Returns the number of the branch, of `count` branches, that is chosen for `key` in this run. */
  choose(key: string, count: number): number;
}

/** Runs `work` once for every combination of choices. */
export function everyWay(maxWays: number, work: (choices: WayChoices) => void): void {
  const path: { key: string; index: number; count: number }[] = [];
  for (let ways = 0; ; ways++) {
    if (ways === maxWays) throw new Error(`There are more than ${maxWays} ways.`);
    work({
      choose: (key, count) => {
        const step = path.find((candidate) => candidate.key === key);
        if (step) return Math.min(step.index, count - 1);
        path.push({ key, index: 0, count });
        return 0;
      },
    });
    while (path.length > 0 && (path.at(-1)?.index ?? 0) + 1 >= (path.at(-1)?.count ?? 0)) path.pop();
    const last = path.at(-1);
    if (!last) return;
    last.index++;
  }
}
