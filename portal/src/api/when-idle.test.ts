import { renderHook } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { useIdle, whenIdle } from './when-idle.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('waits until the browser is idle, at most 300 ms', async () => {
  const requests: { run: () => void; timeout: number | undefined }[] = [];
  vi.stubGlobal('requestIdleCallback', (run: () => void, options?: { timeout: number }) =>
    requests.push({ run, timeout: options?.timeout }),
  );
  const { result, unmount } = renderHook(() => useIdle());
  const removed = renderHook(() => useIdle());
  removed.unmount();
  expect([result.current, requests.map(({ timeout }) => timeout)]).toEqual([false, [300, 300]]);
  for (const { run } of requests) run();
  await expect.poll(() => result.current).toBe(true);
  expect(removed.result.current).toBe(false);
  unmount();
});

it('waits a moment in a browser that does not say when it is idle', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  Reflect.deleteProperty(window, 'requestIdleCallback');
  let isIdle = false;
  void whenIdle().then(() => (isIdle = true));
  await vi.advanceTimersByTimeAsync(49);
  expect(isIdle).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isIdle).toBe(true);
});
