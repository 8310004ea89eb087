/**
 * Coalesces requests. A few batches run at a time; requests that arrive meanwhile wait and share the next batch. So ten
 * thousand callers with one packet each cost the database about as much as a hundred callers with a hundred packets each.
 */
interface BatcherOptions<C, T, R> {
  /** Maximum number of batches that run at a time; `maxRunningPerKey`: of those with one key. */
  maxRunning: number;
  maxRunningPerKey: number;
  /**
   * While this many batches run, the next one waits until it is full, or for `lingerMs`: fuller batches cost less than more of them. After a
   * batch of several requests it waits `gatherMs`, in which those who were answered send again. By default each starts at once.
   */
  eager?: { batches: number; lingerMs: number; gatherMs: number };
  /** Maximum number of items in a batch. The items of one request stay together, even if they are more. */
  maxItems: number;
  /** Whose turn a request is: keys are served in turn. Requests with equal keys may share a batch. */
  keyOf: (caller: C) => string;
  /** Whether requests with different keys may share a batch too. By default they may not. */
  mayShare?: (caller: C, other: C) => boolean;
  /** Requests that waited longer are refused: their callers have given up, and the work would delay the others. */
  maxWaitMs: number;
  timedOut: () => Error;
  /** Returns one result per item, in the order of the items. `caller` is that of the first request. */
  run: (caller: C, items: readonly T[]) => Promise<R[]>;
}

/** How long a key whose requests failed while those of other keys passed shares no batch with them. */
const apartMs = 60_000;

/** A key whose batch runs longer than this shares no other, so that what holds it up holds up no other key. */
const slowMs = 500;

interface RunningBatch {
  keys: ReadonlySet<string>;
  since: number;
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
  readonly running: Set<RunningBatch>;
  /** Until when requests of these keys share no batch with other keys, by `performance.now()`. */
  readonly apart: Map<string, number>;
  /** Number of items of the pending requests. */
  waiting: number;
  lingering: NodeJS.Timeout | undefined;
}

export function newBatcher<C, T, R>(options: BatcherOptions<C, T, R>): Batcher<C, T, R> {
  return { options, pending: new Map(), running: new Set(), apart: new Map(), waiting: 0, lingering: undefined };
}

/** Adds one request. Resolves with its results after its batch has run. */
export function addToBatch<C, T, R>(batcher: Batcher<C, T, R>, caller: C, items: readonly T[]): Promise<R[]> {
  return new Promise((resolve, reject) => {
    const key = batcher.options.keyOf(caller);
    const request = { caller, items, since: performance.now(), resolve, reject };
    const queue = batcher.pending.get(key);
    if (queue) queue.push(request);
    else batcher.pending.set(key, [request]);
    batcher.waiting += items.length;
    startBatches(batcher);
  });
}

/** Starts as many batches as may run; with `isOverdue` also one that would otherwise wait until it is fuller. */
function startBatches<C, T, R>(batcher: Batcher<C, T, R>, isOverdue = false): void {
  const { maxRunning, maxRunningPerKey, eager, maxItems } = batcher.options;
  for (const key of batcher.pending.keys()) {
    if (batcher.running.size >= maxRunning) return;
    if (eager && batcher.running.size >= eager.batches && batcher.waiting < maxItems && !isOverdue) {
      batcher.lingering ??= setTimeout(() => {
        batcher.lingering = undefined;
        startBatches(batcher, true);
      }, eager.lingerMs);
      return;
    }
    if (runningOf(batcher, key).length < maxRunningPerKey) void startBatch(batcher, key);
  }
}

async function startBatch<C, T, R>(batcher: Batcher<C, T, R>, key: string): Promise<void> {
  const batch = takeBatch(batcher, key);
  const running = { keys: new Set(batch.keys()), since: performance.now() };
  batcher.running.add(running);
  await flushShared(batcher, batch);
  const { eager } = batcher.options;
  const isShared = [...batch.values()].reduce((count, requests) => count + requests.length, 0) > 1;
  if (eager && isShared && batcher.running.size === eager.batches) await new Promise((resolve) => setTimeout(resolve, eager.gatherMs));
  batcher.running.delete(running);
  startBatches(batcher);
}

function runningOf<C, T, R>({ running }: Batcher<C, T, R>, key: string): RunningBatch[] {
  return [...running].filter(({ keys }) => keys.has(key));
}

/** The requests of a batch by key. The batch has at least its first key, whose requests may all have been rejected. */
type SharedBatch<C, T, R> = Map<string, PendingRequest<C, T, R>[]>;

/**
 * Takes the next batch from the queues: requests of `key` and, where they may share, of the other keys, in turn. Rejects requests
 * that waited too long, and moves the keys behind the others.
 */
function takeBatch<C, T, R>(batcher: Batcher<C, T, R>, key: string): SharedBatch<C, T, R> {
  const { options, pending } = batcher;
  const batch: SharedBatch<C, T, R> = new Map([[key, []]]);
  const first = queueInTime(batcher, key)[0];
  if (!first) {
    pending.delete(key);
    return batch;
  }
  let queues = [key, ...keysThatShare(batcher, key, first.caller)].map((name) => ({ name, queue: queueInTime(batcher, name), count: 0 }));
  const sources = [...queues];
  let items = 0;
  while (queues.length > 0)
    queues = queues.filter((from) => {
      const request = from.queue[from.count];
      if (!request || (request !== first && items + request.items.length > options.maxItems)) return false;
      from.count += 1;
      items += request.items.length;
      return true;
    });
  batcher.waiting -= items;
  for (const { name, queue, count } of sources) {
    if (count > 0) batch.set(name, queue.splice(0, count));
    if (count > 0 || queue.length === 0) pending.delete(name);
    if (count > 0 && queue.length > 0) pending.set(name, queue);
  }
  return batch;
}

/** The queue of a key without the requests that waited too long, which are rejected. */
function queueInTime<C, T, R>(batcher: Batcher<C, T, R>, key: string): PendingRequest<C, T, R>[] {
  const { options, pending } = batcher;
  const queue = pending.get(key) ?? [];
  const oldest = performance.now() - options.maxWaitMs;
  const inTime = queue.findIndex(({ since }) => since >= oldest);
  for (const { items, reject } of queue.splice(0, inTime < 0 ? queue.length : inTime)) {
    batcher.waiting -= items.length;
    reject(options.timedOut());
  }
  return queue;
}

function keysThatShare<C, T, R>(batcher: Batcher<C, T, R>, key: string, caller: C): string[] {
  const { options, pending } = batcher;
  if (!options.mayShare || isApart(batcher, key)) return [];
  const keys: string[] = [];
  for (const [other, [request]] of pending) {
    // The requests of a queue are alike for `mayShare`, so one check is enough; and no batch needs more keys than items.
    if (keys.length >= options.maxItems) break;
    if (other === key || !request || runningOf(batcher, other).length >= options.maxRunningPerKey) continue;
    if (options.mayShare(caller, request.caller) && !isApart(batcher, other)) keys.push(other);
  }
  return keys;
}

function isApart<C, T, R>(batcher: Batcher<C, T, R>, key: string): boolean {
  const now = performance.now();
  const until = batcher.apart.get(key) ?? -Infinity;
  if (until < now) batcher.apart.delete(key);
  return until >= now || runningOf(batcher, key).some(({ since }) => since < now - slowMs);
}

/**
 * Runs a batch and settles its requests. If it fails and has several keys, runs the requests of each key as a batch of its own, side by side,
 * so that no key waits for the fault of another; a key that fails again while others pass keeps apart for a while. Never throws.
 */
async function flushShared<C, T, R>({ options, apart }: Batcher<C, T, R>, batch: SharedBatch<C, T, R>): Promise<void> {
  const all = [...batch.values()].flat();
  if (batch.size === 1) return void (await flush(options, all));
  if (
    await attempt(options, all).then(
      () => true,
      () => false,
    )
  )
    return;
  const outcomes = await Promise.all([...batch].map(async ([key, requests]) => ({ key, passed: await flush(options, requests) })));
  if (outcomes.some(({ passed }) => passed))
    for (const { key, passed } of outcomes) if (!passed) apart.set(key, performance.now() + apartMs);
}

/** Runs requests together and resolves each. */
async function attempt<C, T, R>({ run }: BatcherOptions<C, T, R>, requests: readonly PendingRequest<C, T, R>[]): Promise<void> {
  const [first] = requests;
  if (!first) return;
  const results = await run(first.caller, requests.length === 1 ? first.items : requests.flatMap(({ items }) => items));
  let from = 0;
  for (const request of requests) request.resolve(results.slice(from, (from += request.items.length)));
}

/** Runs requests together, or each alone if that fails; rejects those that fail alone. Returns whether they passed together. */
async function flush<C, T, R>(options: BatcherOptions<C, T, R>, requests: readonly PendingRequest<C, T, R>[]): Promise<boolean> {
  try {
    await attempt(options, requests);
    return true;
  } catch (error) {
    if (requests.length === 1) requests[0]?.reject(error);
    else for (const request of requests) await flush(options, [request]);
    return false;
  }
}
