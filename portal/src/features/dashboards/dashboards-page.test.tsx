/** Dashboards: creating one, its tiles, arranging them by keyboard, and the kiosk mode that says when the connection is lost. */
import '../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { TileAnswer, TileShown, TilesAnswer } from '@cloudfit/contract/walls/calls.ts';
import type { DashboardTile } from '@cloudfit/contract/resources/dashboards.ts';
import { list, refused, renderApp, tenantId, type Answers } from '../../testing/render-app.tsx';
import { afterKey, afterSwap } from './arrange.tsx';
import { freePlace } from './editor.tsx';

const dashboardId = '01a1fcdb-0000-7000-8000-0000000000aa';
const deviceId = '01a1fcdb-0000-7000-8000-0000000000d1';
const place = { title: '', x: 0, y: 0, w: 3, h: 2 };
const number: DashboardTile = { ...place, id: 'n', kind: 'number', series: [{ entityId: deviceId, metric: 'Cpu', label: 'web-1 Cpu' }] };
const row = (tiles: readonly DashboardTile[], more: object = {}) => ({
  variables: [],
  dashboardId,
  name: 'Night shift',
  tenantId,
  sharing: 'Only me',
  tiles,
  ownerId: null,
  createdBy: 'somebody@example.com',
  created: '2026-11-21T10:00:00.000Z',
  modified: '2026-11-21T10:00:00.000Z',
  modifiedBy: 'somebody@example.com',
  ...more,
});
const answer = (id: string, shown?: TileShown, more: Partial<TileAnswer> = {}): TileAnswer => ({
  id,
  state: 'Shown',
  scope: [],
  tenants: 1,
  tenantId,
  parts: shown ? [{ tenantId: null, name: null, shown }] : [],
  ...more,
});
const reading = (...tiles: TileAnswer[]): TilesAnswer => ({ asOf: new Date().toISOString(), names: [], tiles });
const lineOf = (agoMs: number, metric = 'Cpu'): TileShown => ({
  kind: 'number',
  from: Date.now() - 6 * 3_600_000,
  to: Date.now(),
  step: 60_000,
  line: { entityId: deviceId, metric, label: `web-1 ${metric}`, gap: 300_000, buckets: [[Date.now() - agoMs, 40, 41, 42, 41.5, 2]] },
});
const units: TileShown = { kind: 'units', count: 0, bySeverity: { Sev0: 0, Sev1: 0, Sev2: 0, Sev3: 0, Sev4: 0 }, rows: [] };
const readings = (agoMs: number) => reading(answer('n', lineOf(agoMs)));
const at = `GET /v1/dashboards(${dashboardId})`;
const open = (path: string, answers: Answers) => renderApp(`/${tenantId}/${path}`, { 'GET /v1/dashboards': list([]), ...answers });
const tile = async (name: string) => within(await screen.findByRole('region', { name }));

beforeEach(() => localStorage.clear());

it('a number with its last value, and red with a word when its device is silent', async () => {
  await open(`dashboards/${dashboardId}`, { [at]: row([number]), readTiles: readings(120_000) });
  await (await tile('Cpu')).findByText('41.5 %');
  (await tile('Cpu')).getByText('web-1 Cpu');
});

it('reads the dashboard once, and all its tiles in one call', async () => {
  const memory = { ...number, id: 'm', x: 3, series: [{ entityId: deviceId, metric: 'Memory', label: 'web-1 Memory' }] };
  const { calls, inputsOf } = await open(`dashboards/${dashboardId}`, {
    [at]: row([number, memory]),
    readTiles: reading(answer('n', lineOf(120_000)), answer('m', lineOf(120_000, 'Memory'))),
  });
  await (await tile('Cpu')).findByText('41.5 %');
  await (await tile('Memory')).findByText('41.5 %');
  expect(calls.filter(({ path }) => path.includes(dashboardId))).toHaveLength(1);
  expect(inputsOf('readTiles').map(({ tiles }) => tiles.map(({ id }) => id))).toEqual([['n', 'm']]);
});

it('says of each tile whom it is about, and refuses what the person may not see', async () => {
  const scoped = (id: string, scope: DashboardTile['scope'], title = ''): DashboardTile => ({ ...place, id, kind: 'units', title, scope });

  await open(`dashboards/${dashboardId}`, {
    [at]: row([scoped('all', {}, 'Everything'), scoped('one', { tag: 'prod' }, 'Part'), scoped('no', { tenant: deviceId }, 'Hidden')]),
    readTiles: reading(
      answer('all', units, { tenants: 12 }),
      answer('one', units, { tenants: 1, scope: [{ kind: 'tag', name: 'prod' }] }),
      answer('no', undefined, { state: 'Denied', parts: [] }),
    ),
  });
  await (await tile('Everything')).findByText('12 customers');
  (await tile('Part')).getByText('Tag prod · 1 customer');
  (await tile('Hidden')).getByText('You have no access to this.');
  expect((await tile('Hidden')).queryByText('None open')).toBeNull();
});

it('shows a part for each customer', async () => {
  const devices: DashboardTile = { ...place, id: 'd', kind: 'devices', title: 'Fleet', scope: {}, repeat: true };
  const part = (id: string, name: string, silent: number): TileAnswer['parts'][number] => ({
    tenantId: id,
    name,
    shown: { kind: 'devices', reporting: 7, silent, disabled: 0, names: [] },
  });
  await open(`dashboards/${dashboardId}`, {
    [at]: row([devices]),
    readTiles: reading(answer('d', undefined, { tenants: 3, parts: [part(tenantId, 'Northwind', 2), part(deviceId, 'Southwind', 0)] })),
  });
  const fleet = await tile('Fleet');
  const north = (await fleet.findByRole('link', { name: 'Northwind' })).closest('li');
  expect([north?.textContent, fleet.getAllByRole('listitem').length]).toEqual(['NorthwindReporting7Silent2', 2]);
  fleet.getByText('2 of 3 customers');
});

it('takes the values of variables from the address, and writes what is chosen into it', async () => {
  const variable = {
    ...place,
    id: 'u',
    kind: 'units',
    title: 'Units of {tenant}, {tag}',
    scope: { tenant: '{tenant}', tag: '{tag}' },
  } as const;
  const { inputsOf, search } = await open(`dashboards/${dashboardId}?v.tag=prod`, {
    [at]: row([variable], {
      variables: [
        { kind: 'tenant', value: '' },
        { kind: 'tag', value: 'test' },
      ],
    }),
    readTiles: ({ variables = {} }) =>
      Response.json({ ...reading(answer('u', units)), names: variables.tag === undefined ? [] : [{ kind: 'tag', name: 'prod' }] }),
  });
  await tile('Units of All customers, prod');
  expect(inputsOf('readTiles')[0]?.variables).toEqual({ tag: 'prod' });
  const tag = await screen.findByRole('combobox', { name: 'Tag' });
  fireEvent.change(tag, { target: { value: 'db' } });
  fireEvent.blur(tag);
  await waitFor(() => expect(inputsOf('readTiles').at(-1)?.variables).toEqual({ tag: 'db' }));
  expect(search().get('v.tag')).toBe('db');
});

it('says how long a device has been silent', async () => {
  await open(`dashboards/${dashboardId}`, { [at]: row([number]), readTiles: readings(20 * 60_000) });
  expect((await (await tile('Cpu')).findByText('Silent for 19 min')).className).toContain('silent');
});

it('makes a dashboard with first tiles in one click and opens it for editing', async () => {
  const { calls } = await open('dashboards', {
    'GET /v1/devices': list([{ deviceId, name: 'web-1', packet: { message: { Metrics: { Cpu: 3 } } } }]),
    'PUT /v1/dashboards': row([], { name: 'New dashboard' }),
    [at]: row([], { name: 'New dashboard' }),
  });
  fireEvent.click(await screen.findByRole('button', { name: 'New dashboard' }));
  expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('New dashboard');
  const body = calls.find(({ method }) => method === 'PUT')?.body as { tiles: DashboardTile[] };
  expect(body.tiles.map(({ kind }) => kind)).toEqual(['devices', 'versions', 'compliance', 'chart', 'units', 'matches']);
  expect(body.tiles[3]).toMatchObject({ series: [{ entityId: deviceId, metric: 'Cpu', label: 'web-1' }] });
});

it('saves the name and keeps the form when the server refuses', async () => {
  let status = 400;
  const { calls } = await open(`dashboards/${dashboardId}?edit=1`, {
    [at]: row([]),
    [`POST /v1/dashboards/${dashboardId}`]: () =>
      status === 400 ? refused(400, 'Not like this.')() : Response.json(row([], { name: 'Day' })),
  });
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Day' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText(/Not like this/);
  expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('Day');
  status = 200;
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Dashboard saved.');
  expect(calls.filter(({ method }) => method === 'POST').at(-1)?.body).toEqual({ name: 'Day', tiles: [], variables: [] });
});

it('a wall has no menu, and says that it is cut off', async () => {
  let isCut = false;
  const person = { personId: 'p1', name: 'Mara Okafor', userName: 'mara@northwind.example', tenantId };
  await open(`kiosk/${dashboardId}`, {
    [at]: row([number]),
    readTiles: readings(60_000),
    'GET /v1/currentUser': () => (isCut ? Promise.reject(new TypeError('Failed to fetch')) : person),
  });
  await screen.findByText('41.5 %');
  expect(screen.queryByRole('navigation')).toBeNull();
  await screen.findByText('Live');
  isCut = true;
  act(() => void window.dispatchEvent(new Event('offline')));
  await screen.findByText(/^No connection\./);
  screen.getByText('41.5 %');
  isCut = false;
  act(() => void window.dispatchEvent(new Event('online')));
  await waitFor(() => screen.getByText('Live'));
});

it('moves and resizes tiles by the arrow keys, within the columns', () => {
  const list = (id: string, x: number, y: number): DashboardTile => ({ id, kind: 'units', title: '', x, y, w: 6, h: 3 });
  const tiles = [list('a', 0, 0), list('b', 0, 3)];
  const press = (key: string, shiftKey = false, of = tiles, id = 'b') =>
    Object.fromEntries(afterKey(of, id, { key, shiftKey }).map((item) => [item.id, [item.x, item.y, item.w, item.h]]));
  expect(press('ArrowUp')).toEqual({ b: [0, 0, 6, 3], a: [0, 3, 6, 3] });
  expect(press('ArrowDown', false, tiles, 'a')).toEqual({ b: [0, 0, 6, 3], a: [0, 3, 6, 3] });
  expect(press('ArrowLeft')['b']).toEqual([0, 3, 6, 3]);
  expect(press('ArrowRight')['b']).toEqual([1, 3, 6, 3]);
  expect(press('ArrowRight', true)['b']).toEqual([0, 3, 7, 3]);
  expect(press('ArrowUp', true)['b']).toEqual([0, 3, 6, 2]);
});

it('on a phone, a tile changes places with the one before or after it', () => {
  const tileAt = (id: string, x: number, y: number, w: number): DashboardTile => ({ id, kind: 'units', title: '', x, y, w, h: 3 });
  const tiles = [tileAt('a', 0, 0, 4), tileAt('b', 4, 0, 8), tileAt('c', 0, 3, 12)];
  const order = (of: readonly DashboardTile[]) => of.toSorted((a, b) => a.y - b.y || a.x - b.x).map(({ id }) => id);
  expect(order(afterSwap(tiles, 'b', -1))).toEqual(['b', 'a', 'c']);
  expect(order(afterSwap(tiles, 'b', 1))).toEqual(['a', 'c', 'b']);
  expect(afterSwap(tiles, 'a', -1)).toBe(tiles);
  expect(afterSwap(tiles, 'c', 1)).toBe(tiles);
  for (const tile of afterSwap(tiles, 'c', -1)) expect(tile.x + tile.w).toBeLessThanOrEqual(12);
});

it('gives the style of a tile that is dragged the nonce of the page', async () => {
  const meta = document.createElement('meta');
  meta.name = 'csp-nonce';
  meta.content = 'n0nce';
  document.head.append(meta);
  // Wide enough for the grid, because jsdom has no layout.
  const width = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'offsetWidth');
  Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, value: 1_200 });
  await open(`dashboards/${dashboardId}?edit=1`, { [at]: row([number]), readTiles: readings(60_000) });
  // Retried, because the grid first measures its width and renders its tiles.
  await waitFor(() => {
    fireEvent.mouseDown(screen.getByRole('button', { name: /^Move Cpu: arrow keys/ }), { button: 0 });
    expect(document.getElementById('react-draggable-style-el')?.getAttribute('nonce')).toBe('n0nce');
  });
  meta.remove();
  if (width) Object.defineProperty(HTMLElement.prototype, 'offsetWidth', width);
});

it('places a new tile beside others where it fits, else below them', () => {
  const tileAt = (x: number, y: number, w: number, h: number): DashboardTile => ({ id: `${x} ${y}`, kind: 'units', title: '', x, y, w, h });
  expect(freePlace([], { w: 4, h: 2 })).toEqual({ x: 0, y: 0 });
  const tiles = [tileAt(0, 0, 6, 2), tileAt(6, 0, 6, 4), tileAt(0, 4, 3, 3)];
  expect(freePlace(tiles, { w: 4, h: 2 })).toEqual({ x: 0, y: 2 });
  expect(freePlace(tiles, { w: 9, h: 3 })).toEqual({ x: 3, y: 4 });
  expect(freePlace(tiles, { w: 12, h: 2 })).toEqual({ x: 0, y: 7 });
});

it('scrolls to a tile that was added, which may stand out of sight', async () => {
  const scrolled: string[] = [];
  const width = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'offsetWidth');
  Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, value: 1_200 });
  Element.prototype.scrollIntoView = function (this: Element) {
    if (this.classList.contains('dash-tile')) scrolled.push(this.getAttribute('aria-label') ?? '');
  };
  await open(`dashboards/${dashboardId}?edit=1`, { [at]: row([number]), readTiles: readings(60_000) });
  fireEvent.click(await screen.findByRole('button', { name: 'Add tile' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Open work units' }));
  await waitFor(() => expect(scrolled).toEqual(['Open work units']));
  Reflect.deleteProperty(Element.prototype, 'scrollIntoView');
  if (width) Object.defineProperty(HTMLElement.prototype, 'offsetWidth', width);
});
