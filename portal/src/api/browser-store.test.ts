/** A value of this browser: all components and tabs show the one that was stored last. */
import { act, renderHook } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { browserStore } from './browser-store.ts';

const read = vi.fn<(stored: unknown) => string>();
beforeEach(() => {
  localStorage.clear();
  read.mockReset();
  read.mockImplementation((stored) => (typeof stored === 'string' ? stored : 'none'));
});

/** Another tab stores a value; null as `key`: it clears the storage. */
function storeElsewhere(key: string | null, text: string) {
  localStorage.setItem('mode', text);
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key, newValue: text })));
}

it('is read once until it changes, and by default without valid JSON', () => {
  const store = browserStore('mode', read);
  expect([store.get(), store.get(), read.mock.calls]).toEqual(['none', 'none', [[undefined]]]);
  localStorage.setItem('mode', '{broken');
  expect(store.get()).toBe('none');
  store.set('dark');
  expect([store.get(), localStorage.getItem('mode')]).toEqual(['dark', '"dark"']);
  read.mockClear();
  expect([store.get(), read.mock.calls.length]).toEqual(['dark', 0]);
});

it('is shown by each component, also when another tab changes it, each time', () => {
  const store = browserStore('mode', read);
  const [one, other] = [renderHook(() => store.use()), renderHook(() => store.use())];
  const shown = () => [one.result.current, other.result.current];
  act(() => store.set('dark'));
  expect(shown()).toEqual(['dark', 'dark']);
  storeElsewhere('mode', '"light"');
  expect(shown()).toEqual(['light', 'light']);
  storeElsewhere('another', '"of another store"');
  expect(shown()).toEqual(['light', 'light']);
  storeElsewhere(null, '"cleared"');
  expect(shown()).toEqual(['cleared', 'cleared']);
  one.unmount();
  act(() => store.set('last'));
  expect(other.result.current).toBe('last');
});

it('is the default in a browser that refuses its storage', () => {
  vi.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
    throw new DOMException('No.', 'SecurityError');
  });
  expect(browserStore('mode', read).get()).toBe('none');
  vi.restoreAllMocks();
});
