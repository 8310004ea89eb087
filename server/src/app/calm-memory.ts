/** Gives memory back to the system when the server is calm: what its start or a busy time has allocated and no longer needs. */
import { hourMs } from '@cloudfit/contract/durations.ts';

const lookMs = 2_000;
/** The largest share of a core that a calm server uses. */
const calmShare = 0.1;
/** Growth of the heap below this is not worth a pause. */
const worthBytes = 24 * 1024 ** 2;

export interface HeapParts {
  /** Collects what is unused and gives the rest back; stops the process meanwhile, for some 100 ms. */
  collect: () => void;
  /** Bytes that the heap holds of the system. */
  heapBytes: () => number;
  /** The share of a core that the process has used since the last call. */
  busyShare: () => number;
}

/** The heap of this process; nothing without `--expose-gc` (`scripts/run-node.mjs`). */
export function ownHeap(): HeapParts | undefined {
  const { gc } = globalThis;
  if (!gc) return undefined;
  let last = { used: process.cpuUsage(), at: performance.now() };
  return {
    collect: () => gc({ type: 'major', flavor: 'last-resort' }),
    heapBytes: () => process.memoryUsage().heapTotal,
    busyShare: () => {
      const { user, system } = process.cpuUsage(last.used);
      const passed = performance.now() - last.at;
      last = { used: process.cpuUsage(), at: performance.now() };
      return (user + system) / 1_000 / passed;
    },
  };
}

/**
 * Looks from time to time whether the server is calm and its heap has grown; collects at most once an hour, because callers wait
 * meanwhile. V8 alone keeps the space for new objects at its largest size, and the garbage of a start until the heap grows.
 */
export function releaseMemoryWhenCalm(heap: HeapParts | undefined): { stop(): void } {
  if (!heap) return { stop: () => undefined };
  let heldAfter = 0;
  let collectedAt = -Infinity;
  heap.busyShare();
  const timer = setInterval(() => {
    const isCalm = heap.busyShare() <= calmShare;
    const now = performance.now();
    if (!isCalm || now - collectedAt < hourMs || heap.heapBytes() - heldAfter < worthBytes) return;
    heap.collect();
    heldAfter = heap.heapBytes();
    collectedAt = now;
  }, lookMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
