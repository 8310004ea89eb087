import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useOpenWhenLoaded } from './use-open-when-loaded.ts';

const never = new Promise<void>(() => undefined);
const passes = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('opens at once without anything to wait for, else when it came, failed, or takes too long', async () => {
  const { result } = renderHook(() => useOpenWhenLoaded());
  // How often it has opened: at once, after 59 ms, after 60 ms.
  for (const [filled, ...expected] of [
    [() => undefined, 1, 1, 1],
    [() => Promise.resolve(), 0, 1, 1],
    [() => Promise.reject(new Error('no code')), 0, 1, 1],
    [() => never, 0, 0, 1],
  ] as const) {
    const open = vi.fn<() => void>();
    result.current(filled(), open);
    const opened = [open.mock.calls.length];
    for (const ms of [59, 1]) {
      await passes(ms);
      opened.push(open.mock.calls.length);
    }
    expect(opened).toEqual(expected);
  }
});

it('opens only the last one, and none once its page is gone', async () => {
  const { result, unmount } = renderHook(() => useOpenWhenLoaded());
  const [first, second, late] = [vi.fn<() => void>(), vi.fn<() => void>(), vi.fn<() => void>()];
  result.current(never, first);
  result.current(never, second);
  await passes(60);
  expect(first).not.toHaveBeenCalled();
  expect(second).toHaveBeenCalledTimes(1);
  result.current(never, late);
  unmount();
  await passes(60);
  expect(late).not.toHaveBeenCalled();
});
