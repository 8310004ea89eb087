import { act, renderHook } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { useOpenWhenLoaded } from './use-open-when-loaded.ts';

const never = new Promise<void>(() => undefined);
const settled = () => act(() => new Promise((resolve) => setTimeout(resolve, 100)));

it('opens at once without anything to wait for, else when it came, failed, or takes too long', async () => {
  const { result } = renderHook(() => useOpenWhenLoaded());
  for (const [filled, isAtOnce] of [
    [() => undefined, true],
    [() => Promise.resolve(), false],
    [() => Promise.reject(new Error('no code')), false],
    [() => never, false],
  ] as const) {
    const open = vi.fn<() => void>();
    result.current(filled(), open);
    expect(open).toHaveBeenCalledTimes(isAtOnce ? 1 : 0);
    await settled();
    expect(open).toHaveBeenCalledTimes(1);
  }
});

it('opens only the last one, and none once its page is gone', async () => {
  const { result, unmount } = renderHook(() => useOpenWhenLoaded());
  const [first, second, late] = [vi.fn<() => void>(), vi.fn<() => void>(), vi.fn<() => void>()];
  result.current(never, first);
  result.current(never, second);
  await settled();
  expect(first).not.toHaveBeenCalled();
  expect(second).toHaveBeenCalledTimes(1);
  result.current(never, late);
  unmount();
  await settled();
  expect(late).not.toHaveBeenCalled();
});
