/** Browser APIs that jsdom lacks, and longer timeouts for a busy machine. */
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, vi } from 'vitest';

// The tests wait for conditions; these limits only end what hangs. On two cores with a load of 12 to 16 the longest wait,
// for the code of a screen, took 20 s and the longest test 26 s. A wait that hangs fails before its test does, and says for
// what.
configure({ asyncUtilTimeout: 30_000 });
vi.setConfig({ testTimeout: 90_000 });

// Unsaved input of one test must not become a draft in the next.
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

// Charts render to a canvas, which jsdom lacks. All methods of this one do nothing.
const noCanvas = new Proxy({}, { get: () => () => ({ width: 0 }), set: () => true });
HTMLCanvasElement.prototype.getContext = () => noCanvas as never;
globalThis.Path2D ??= class {
  constructor() {
    return noCanvas;
  }
} as never;

// Testing Library queries the labels of each field and the field of each label, and jsdom searches the whole page each
// time.
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
