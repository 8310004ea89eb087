import '../testing/browser.ts';
import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { locations } from '@cloudfit/contract/resources/locations.ts';
import { usePanelOpening } from './use-opening.ts';
import { defineView } from './view.ts';

const load = vi.fn<() => Promise<unknown>>(() => Promise.resolve(() => null));
const view = defineView({
  resource: locations,
  icon: 'locations',
  texts: { title: 'Locations' },
  columns: ['name'],
  panel: { Component: () => null, load },
});

const screenThat = (hovers: boolean) =>
  vi.stubGlobal('matchMedia', (query: string) => ({ matches: query === '(hover: none)' ? !hovers : false }));

beforeEach(() => {
  vi.useFakeTimers();
  load.mockClear();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('the code of a panel is not part of the first load, but arrives before the first click', () => {
  screenThat(true);
  renderHook(() => usePanelOpening(view, { open: () => undefined }));
  vi.advanceTimersByTime(60_000);
  expect(load).not.toHaveBeenCalled();
  window.dispatchEvent(new Event('pointermove'));
  window.dispatchEvent(new Event('pointermove'));
  expect(load).toHaveBeenCalledOnce();
});

it('a touch screen, where no movement comes before a tap, loads it soon after the list', () => {
  screenThat(false);
  const { unmount } = renderHook(() => usePanelOpening(view, { open: () => undefined }));
  vi.advanceTimersByTime(500);
  expect(load).not.toHaveBeenCalled();
  vi.advanceTimersByTime(200);
  expect(load).toHaveBeenCalledOnce();
  unmount();
});

it('a list that is left before does not load it', () => {
  screenThat(false);
  renderHook(() => usePanelOpening(view, { open: () => undefined })).unmount();
  screenThat(true);
  renderHook(() => usePanelOpening(view, { open: () => undefined })).unmount();
  window.dispatchEvent(new Event('pointermove'));
  vi.advanceTimersByTime(1_000);
  expect(load).not.toHaveBeenCalled();
});
