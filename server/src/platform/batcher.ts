/**
 * Coalesces requests. A few batches run at a time; requests that arrive meanwhile wait and share the next batch. So ten
 * thousand callers with one packet each cost the database about as much as a hundred callers with a hundred packets each.
 */

interface BatcherOptions<C, T, R> {
  /** Maximum number of batches that run at a time; `maxRunningPerKey`: of those with one key. */
  maxRunning: number;
  maxRunningPerKey: number;
  /** Maximum number of items in a batch. The items of one request stay together, even if they are more. */
  maxItems: number;
  /** Requests with equal keys may share a batch. */
  keyOf: (caller: C) => string;
  /** Requests that waited longer are refused: their callers have given up, and the work would delay the others. */
  maxWaitMs: number;
  timedOut: () => Error;
  /** Returns one result per item, in the order of the items. */
  run: (caller: C, items: readonly T[]) => Promise<R[]>;
}

interface PendingRequest<C, T, R> {
  caller: C;
  items: readonly T[];
  since: number;
  resolve: (results: R[]) => void;
  reject: (error: unknown) => void;
}

export interface Batcher<C, T, R> {
  readonly options: BatcherOptions<C, T, R>;
  /** Requests that wait, by key. The first key is served next. */
  readonly pending: Map<string, PendingRequest<C, T, R>[]>;
  /** Number of batches that run, by key. */
  readonly runningByKey: Map<string, number>;
  running: number;
}

export function newBatcher<C, T, R>(options: BatcherOptions<C, T, R>): Batcher<C, T, R> {
  return { options, pending: new Map(), runningByKey: new Map(), running: 0 };
}

/** Adds one request. Resolves with its results after its batch has run. */
export function addToBatch<C, T, R>(batcher: Batcher<C, T, R>, caller: C, items: readonly T[]): Promise<R[]> {
  return new Promise((resolve, reject) => {
    const key = batcher.options.keyOf(caller);
    const request = { caller, items, since: performance.now(), resolve, reject };
    const queue = batcher.pending.get(key);
    if (queue) queue.push(request);
    else batcher.pending.set(key, [request]);
    startBatches(batcher);
  });
}

/** Starts as many batches as may run. */
function startBatches<C, T, R>(batcher: Batcher<C, T, R>): void {
  const { maxRunning, maxRunningPerKey } = batcher.options;
  for (const key of batcher.pending.keys()) {
    if (batcher.running >= maxRunning) return;
    if ((batcher.runningByKey.get(key) ?? 0) < maxRunningPerKey) void startBatch(batcher, key);
  }
}

async function startBatch<C, T, R>(batcher: Batcher<C, T, R>, key: string): Promise<void> {
  countRunning(batcher, key, 1);
  await flush(batcher.options, takeBatch(batcher, key));
  countRunning(batcher, key, -1);
  startBatches(batcher);
}

function countRunning<C, T, R>(batcher: Batcher<C, T, R>, key: string, change: 1 | -1): void {
  const running = (batcher.runningByKey.get(key) ?? 0) + change;
  if (running > 0) batcher.runningByKey.set(key, running);
  else batcher.runningByKey.delete(key);
  batcher.running += change;
}

/** Takes the next batch of `key` from its queue, rejects requests that waited too long, and moves the key behind the others. */
function takeBatch<C, T, R>({ options, pending }: Batcher<C, T, R>, key: string): PendingRequest<C, T, R>[] {
  const queue = pending.get(key) ?? [];
  pending.delete(key);
  const oldest = performance.now() - options.maxWaitMs;
  const inTime = queue.findIndex(({ since }) => since >= oldest);
  for (const { reject } of queue.splice(0, inTime < 0 ? queue.length : inTime)) reject(options.timedOut());
  let items = queue[0]?.items.length ?? 0;
  let requests = 1;
  for (; requests < queue.length; requests += 1) {
    items += queue[requests]?.items.length ?? 0;
    if (items > options.maxItems) break;
  }
  const batch = queue.splice(0, requests);
  if (queue.length > 0) pending.set(key, queue);
  return batch;
}

/** Runs a batch and resolves each of its requests. If a shared batch fails, runs each request alone. Never throws. */
async function flush<C, T, R>(options: BatcherOptions<C, T, R>, batch: readonly PendingRequest<C, T, R>[]): Promise<void> {
  const [first] = batch;
  if (!first) return;
  try {
    const items = batch.length === 1 ? first.items : batch.flatMap((request) => request.items);
    const results = await options.run(first.caller, items);
    let from = 0;
    for (const request of batch) request.resolve(results.slice(from, (from += request.items.length)));
  } catch (error) {
    if (batch.length === 1) first.reject(error);
    else for (const request of batch) await flush(options, [request]);
  }
}
