import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { hourMs } from '@cloudfit/contract/durations.ts';
import { releaseMemoryWhenCalm } from './calm-memory.ts';

const lookMs = 2_000;
const mib = 1024 ** 2;

/** A heap that `collect` shrinks to 50 MiB. */
function fakeHeap() {
  const heap = {
    bytes: 100 * mib,
    share: 0,
    collect: vi.fn<() => void>(() => void (heap.bytes = 50 * mib)),
    heapBytes: () => heap.bytes,
    busyShare: () => heap.share,
  };
  return heap;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('collects once the server is calm, and not while it works', () => {
  const heap = fakeHeap();
  heap.share = 0.5;
  const { stop } = releaseMemoryWhenCalm(heap);
  vi.advanceTimersByTime(10 * lookMs);
  expect(heap.collect).not.toHaveBeenCalled();
  heap.share = 0.01;
  vi.advanceTimersByTime(lookMs);
  expect(heap.collect).toHaveBeenCalledTimes(1);
  stop();
});

it('collects again after an hour, and only when the heap has grown', () => {
  const heap = fakeHeap();
  const { stop } = releaseMemoryWhenCalm(heap);
  vi.advanceTimersByTime(2 * lookMs);
  expect(heap.collect).toHaveBeenCalledTimes(1);
  heap.bytes = 90 * mib;
  vi.advanceTimersByTime(hourMs / 2);
  expect(heap.collect).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(hourMs / 2);
  expect(heap.collect).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(2 * hourMs);
  expect(heap.collect).toHaveBeenCalledTimes(2);
  stop();
  heap.bytes = 200 * mib;
  vi.advanceTimersByTime(2 * hourMs);
  expect(heap.collect).toHaveBeenCalledTimes(2);
});

it('gives back what this process no longer needs', () => {
  const script = `import { ownHeap } from ${JSON.stringify(join(import.meta.dirname, 'calm-memory.ts'))};
    let rows = Array.from({ length: 500_000 }, (_, n) => ({ n }));
    const heap = ownHeap(), before = heap.heapBytes();
    rows = undefined;
    heap.collect();
    console.log(before - heap.heapBytes() > 10_000_000);`;
  const output = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(output.trim()).toBe('true');
});
