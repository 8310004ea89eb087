/** Parts of a browser that jsdom lacks, and longer timeouts for a busy machine. */
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, vi } from 'vitest';

// A busy machine takes seconds to load a screen's code. The tests wait for conditions; these limits only end what hangs.
configure({ asyncUtilTimeout: 30_000 });
vi.setConfig({ testTimeout: 120_000 });

// What one test typed and left is no draft of the next.
afterEach(() => {
  cleanup();
  sessionStorage.clear();
});

// Components of the last test may still import code; an import that outlives its file fails the run.
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

// Charts paint on a canvas; jsdom has none. Every call of this one does nothing.
const noCanvas = new Proxy({}, { get: () => () => ({ width: 0 }), set: () => true });
HTMLCanvasElement.prototype.getContext = () => noCanvas as never;
globalThis.Path2D ??= class {
  constructor() {
    return noCanvas;
  }
} as never;

// Testing Library asks every field for its labels and every label for its field, and jsdom walks the whole page for each.
const labelable = [HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement, HTMLButtonElement, HTMLOutputElement, HTMLProgressElement];
for (const { prototype } of labelable)
  Object.defineProperty(prototype, 'labels', {
    configurable: true,
    get(this: HTMLElement) {
      if (this instanceof HTMLInputElement && this.type === 'hidden') return null;
      const named = this.id ? [...this.ownerDocument.getElementsByTagName('label')].filter(({ htmlFor }) => htmlFor === this.id) : [];
      const around = this.closest('label:not([for])');
      return around ? [...named, around] : named;
    },
  });
Object.defineProperty(HTMLLabelElement.prototype, 'control', {
  configurable: true,
  get(this: HTMLLabelElement) {
    return this.hasAttribute('for')
      ? this.ownerDocument.getElementById(this.htmlFor)
      : this.querySelector('input:not([type=hidden]), select, textarea, button, output, progress');
  },
});
