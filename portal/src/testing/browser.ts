/** What jsdom lacks of a browser, and patience for a busy machine. */
import { cleanup, configure } from '@testing-library/react';
import { afterAll, vi } from 'vitest';

configure({ asyncUtilTimeout: 10_000 });
vi.setConfig({ testTimeout: 40_000 });

// What the last test left on the page fetches code while nobody waits; an import that outlives its file fails the run.
afterAll(async () => {
  cleanup();
  await vi.dynamicImportSettled();
});

const noMedia = { matches: true, addEventListener: () => undefined, removeEventListener: () => undefined };

if (!('matchMedia' in window) || !window.matchMedia) Object.defineProperty(window, 'matchMedia', { value: () => noMedia });

class NoResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

globalThis.ResizeObserver ??= NoResizeObserver;
