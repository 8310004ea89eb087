import { afterEach, expect, it } from 'vitest';
import { loadCode, waitForServerBy } from './load-code.ts';

afterEach(() => waitForServerBy(() => Promise.resolve(false)));

/** Code that fails to load as often as said. */
function code(failures: number) {
  const tries = { n: 0 };
  const load = () => (tries.n++ < failures ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve('code'));
  return { tries, load };
}

it('waits for the server and tries again, as often as it goes away', async () => {
  let waits = 0;
  waitForServerBy(() => Promise.resolve((waits++, true)));
  const { tries, load } = code(3);
  expect(await loadCode(load)).toBe('code');
  expect([tries.n, waits]).toEqual([4, 3]);
});

it('tries again once when the server answers, which may have been away for a moment', async () => {
  expect(await loadCode(code(1).load)).toBe('code');
  const missing = code(9);
  await expect(loadCode(missing.load)).rejects.toThrow('Failed to fetch');
  expect(missing.tries.n).toBe(2);
});

it('puts styles that did not arrive into the page again', async () => {
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '/assets/gone.css' });
  document.head.append(link);
  await loadCode(code(1).load);
  expect(link.isConnected).toBe(false);
  expect(document.querySelector('link[href="/assets/gone.css"]')).not.toBeNull();
  document.querySelector('link[href="/assets/gone.css"]')?.remove();
});
