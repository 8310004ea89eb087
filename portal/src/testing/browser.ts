/** What jsdom lacks of a browser, and patience for a busy machine. */
import { configure } from '@testing-library/react';
import { vi } from 'vitest';

configure({ asyncUtilTimeout: 10_000 });
vi.setConfig({ testTimeout: 40_000 });

const noMedia = { matches: true, addEventListener: () => undefined, removeEventListener: () => undefined };

if (!('matchMedia' in window) || !window.matchMedia) Object.defineProperty(window, 'matchMedia', { value: () => noMedia });

class NoResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

globalThis.ResizeObserver ??= NoResizeObserver;
