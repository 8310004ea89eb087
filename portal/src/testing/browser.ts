/** Prepares jsdom for tests: missing browser APIs, faster versions of slow ones, cleanup, timeouts for a busy machine. */
import * as React from 'react';
import { cleanup, configure, getConfig, prettyDOM } from '@testing-library/react';
import { afterAll, afterEach, vi } from 'vitest';

// The tests wait for conditions; these limits only end what hangs. On two cores with a load of 12 to 16 the longest wait,
// for the code of a screen, took 20 s and the longest test 26 s. A wait that hangs fails before its test does, and says for
// what.
configure({
  asyncUtilTimeout: 30_000,
  // A wait tries again and again, and shows the page once, when it ends. By default each try writes the whole page.
  getElementError: (message, container) => {
    const isTry =
      '_disableExpensiveErrorDiagnostics' in getConfig() && Reflect.get(getConfig(), '_disableExpensiveErrorDiagnostics') === true;
    const error = new Error([message, ...(isTry ? [] : [prettyDOM(container)])].filter(Boolean).join('\n\n'));
    error.name = 'TestingLibraryElementError';
    return error;
  },
});
vi.setConfig({ testTimeout: 90_000 });

// React notes for each element, by a stack trace, which component made it. The notes are only for its own warnings, and took a twelfth of
// the time of the tests. React stops by itself after ten thousand elements in a second; here it believes that there were more.
const internals: unknown = Reflect.get(React, '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE');
Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', {
  configurable: true,
  get: () => Infinity,
  set: () => {},
});

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

if (!('matchMedia' in window) || !window.matchMedia)
  Object.defineProperty(window, 'matchMedia', { configurable: true, writable: true, value: () => noMedia });

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

// Replaces `labels` and `control`, which Testing Library reads for each field and each label: those of jsdom search the
// whole page each time.
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

// Caches computed styles. Testing Library reads `display` and `visibility` of each element for each query by role, and jsdom
// compares the element with every rule each time. Elements of one kind have the same style unless a rule of a component's
// sheet, a style attribute or a sheet of the test is about them.
const computeStyle = globalThis.getComputedStyle.bind(globalThis);
const stylesByKind = new Map<string, CSSStyleDeclaration>();
const sheets = { count: 0, areOfComponents: true };

function haveOnlySheetsOfComponents(): boolean {
  const { length } = document.styleSheets;
  if (length !== sheets.count) {
    const owners = [...document.styleSheets].map(({ ownerNode }) => ownerNode);
    sheets.areOfComponents = owners.every((owner) => owner instanceof HTMLElement && owner.dataset['emotion'] !== undefined);
    sheets.count = length;
  }
  return sheets.areOfComponents;
}

function hasUsualStyle(element: Element): boolean {
  if (!haveOnlySheetsOfComponents() || element.hasAttribute('style') || /\b(?:Mui|cf-)/.test(element.getAttribute('class') ?? ''))
    return false;
  // Children inherit the visibility.
  for (let parent = element.parentElement; parent; parent = parent.parentElement)
    if (parent.getAttribute('style')?.includes('visibility')) return false;
  return true;
}

/** A style whose `display` and `visibility` are computed only once. */
function rememberedStyle(style: CSSStyleDeclaration): CSSStyleDeclaration {
  const remembered = new Map<string | symbol, string>(['display', 'visibility'].map((name) => [name, style.getPropertyValue(name)]));
  const getPropertyValue = (name: string) => remembered.get(name) ?? style.getPropertyValue(name);
  return new Proxy(style, {
    get: (_, name): unknown => remembered.get(name) ?? (name === 'getPropertyValue' ? getPropertyValue : Reflect.get(style, name)),
  });
}

globalThis.getComputedStyle = (element, pseudo) => {
  if (pseudo || !hasUsualStyle(element)) return computeStyle(element, pseudo);
  const parent = element.tagName === 'SUMMARY' ? element.parentElement?.tagName : '';
  const kind = [element.tagName, parent, ...['hidden', 'open', 'popover', 'type'].map((name) => element.getAttribute(name))].join();
  const style = stylesByKind.get(kind) ?? rememberedStyle(computeStyle(element));
  stylesByKind.set(kind, style);
  return style;
};
