import { afterEach, expect, it, vi } from 'vitest';
import { moveViewsOfBrowser, viewsOfBrowser } from './views-of-browser.ts';

afterEach(() => void vi.unstubAllGlobals());

it('moves each view that the server takes, and loses none that it does not', async () => {
  const names = ['Moved', 'Moved before', 'One too many', 'Refused', 'Moved too', 'Without an answer', 'After it'];
  viewsOfBrowser.set(names.map((name) => ({ name, query: `q=${name}` })));
  const saved: object[] = [];
  const refusal = (status: number) => Response.json({ error: { code: 'Conflict', message: 'No.' } }, { status });
  const views = [
    { name: 'moved BEFORE', screen: 'workunitsv2', isMine: true },
    { name: 'One too many', screen: 'devices', isMine: true },
    { name: 'One too many', screen: 'workunitsv2', isMine: false },
  ];
  vi.stubGlobal('fetch', (_path: string, init: RequestInit) => {
    if (init.method === 'GET') return Promise.resolve(Response.json({ views, teams: [] }));
    const view = JSON.parse(String(init.body)) as { name: string };
    saved.push(view);
    if (view.name === 'Without an answer') return Promise.reject(new TypeError('Failed to fetch'));
    const status = { 'Moved before': 409, 'One too many': 409, Refused: 400 }[view.name];
    return Promise.resolve(status === undefined ? Response.json({ savedViewId: 'v1' }) : refusal(status));
  });
  await moveViewsOfBrowser('t1', (query) => `filter of ${query}`);
  expect(viewsOfBrowser.get().map(({ name }) => name)).toEqual(['One too many', 'Refused', 'Without an answer', 'After it']);
  expect(saved).toHaveLength(6);
  expect(saved[0]).toEqual({
    screen: 'workunitsv2',
    name: 'Moved',
    address: 'q=Moved',
    filter: 'filter of q=Moved',
    hidden: null,
    sharing: 'Me',
    team: null,
    inMenu: false,
    tenantId: 't1',
  });
  // Once for each visit.
  await moveViewsOfBrowser('t1', () => null);
  expect(saved).toHaveLength(6);
});
