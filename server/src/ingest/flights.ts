/**
 * Lets what many callers send at the same moment travel together: a few flights are under way at once, and what comes meanwhile
 * waits for the next. Ten thousand callers with one packet each then cost the database about what a hundred with a hundred cost.
 */

interface Flights<C> {
  /** Under way at once in all, and for one key. */
  total: number;
  perKey: number;
  /** Items of one flight; a caller's own are never parted. */
  items: number;
  /** Callers of one key may travel together. */
  keyOf: (caller: C) => string;
  /** Who has waited longer is refused: nobody listens any more, and work for those would keep the others waiting as long. */
  patienceMs: number;
  refusal: () => Error;
}

interface Waiting<C, T, R> {
  caller: C;
  items: readonly T[];
  resolve: (results: R[]) => void;
  reject: (error: unknown) => void;
  since: number;
}

/** `run` answers one result per item, in their order. When a shared flight fails, each of its callers is tried alone. */
export function inFlights<C, T, R>(
  { total, perKey, items: most, keyOf, patienceMs, refusal }: Flights<C>,
  run: (caller: C, items: readonly T[]) => Promise<R[]>,
): (caller: C, items: readonly T[]) => Promise<R[]> {
  const waiting = new Map<string, Waiting<C, T, R>[]>();
  const flying = new Map<string, number>();
  let all = 0;

  function next(key: string): Waiting<C, T, R>[] {
    const queue = waiting.get(key) ?? [];
    const inTime = queue.findIndex(({ since }) => since >= performance.now() - patienceMs);
    for (const { reject } of queue.splice(0, inTime < 0 ? queue.length : inTime)) reject(refusal());
    let count = queue[0]?.items.length ?? 0;
    let taken = 1;
    for (; taken < queue.length; taken += 1) {
      count += queue[taken]?.items.length ?? 0;
      if (count > most) break;
    }
    const load = queue.splice(0, taken);
    // At the end of the line: the others come first.
    waiting.delete(key);
    if (queue.length > 0) waiting.set(key, queue);
    return load;
  }

  async function alone({ caller, items, resolve, reject }: Waiting<C, T, R>): Promise<void> {
    try {
      resolve(await run(caller, items));
    } catch (error) {
      reject(error);
    }
  }

  async function fly(load: readonly Waiting<C, T, R>[]): Promise<void> {
    const [first] = load;
    if (!first) return;
    if (load.length === 1) return alone(first);
    let results: R[];
    try {
      results = await run(
        first.caller,
        load.flatMap(({ items }) => items),
      );
    } catch {
      for (const one of load) await alone(one);
      return;
    }
    let from = 0;
    for (const { items, resolve } of load) resolve(results.slice(from, (from += items.length)));
  }

  function start(): void {
    for (const key of waiting.keys()) {
      if (all >= total) return;
      const own = flying.get(key) ?? 0;
      if (own >= perKey) continue;
      all += 1;
      flying.set(key, own + 1);
      void fly(next(key)).finally(() => {
        all -= 1;
        const left = (flying.get(key) ?? 1) - 1;
        if (left > 0) flying.set(key, left);
        else flying.delete(key);
        start();
      });
    }
  }

  return (caller, items) =>
    new Promise((resolve, reject) => {
      const key = keyOf(caller);
      const queue = waiting.get(key);
      const one = { caller, items, resolve, reject, since: performance.now() };
      if (queue) queue.push(one);
      else waiting.set(key, [one]);
      start();
    });
}
