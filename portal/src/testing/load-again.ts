/** Loads a module once more, for tests of modules with state. */
import { afterEach, vi } from 'vitest';

const added: (() => void)[] = [];
afterEach(() => {
  for (const remove of added.splice(0)) remove();
});

/** Imports a module as another tab or a reload does, in its first state. After the test, its listeners on the window are removed. */
export async function loadAgain<T>(load: () => Promise<T>): Promise<T> {
  vi.resetModules();
  const adding = vi.spyOn(window, 'addEventListener');
  const loaded = await load();
  for (const [type, listener] of adding.mock.calls) added.push(() => window.removeEventListener(type, listener));
  adding.mockRestore();
  return loaded;
}
