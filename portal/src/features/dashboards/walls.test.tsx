/** Walls: all customers, a dashboard by its link without sign-in, and making and ending such links. */
import '../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import type { readWall } from '@cloudfit/contract/calls.ts';
import type { DashboardTile } from '@cloudfit/contract/resources/dashboards.ts';
import type { Customer } from '@cloudfit/contract/walls/calls.ts';
import { refused, renderApp, tenantId } from '../../testing/render-app.tsx';

const dashboardId = '01a1fcdb-0000-7000-8000-0000000000aa';
const now = '2026-11-21T10:00:00.000Z';
const none = { Sev0: 0, Sev1: 0, Sev2: 0, Sev3: 0, Sev4: 0 };
const customer = (name: string, state: Customer['state'], more: Partial<Customer> = {}): Customer => ({
  tenantId: crypto.randomUUID(),
  name,
  state,
  open: none,
  breached: 0,
  warned: 0,
  devices: 10,
  silent: 0,
  lastData: null,
  trend: null,
  lastChange: null,
  onCall: null,
  ...more,
});
const customers = [
  customer('Northwind', 'Down', {
    open: { ...none, Sev0: 2 },
    breached: 1,
    onCall: ['Ada Moreno'],
    trend: [1, 3, 2],
    lastChange: { title: 'Router swap', at: now },
  }),
  customer('Harbor', 'AtRisk', { silent: 3, onCall: [] }),
  customer('Hidden', 'Unseen', { open: null, breached: null, warned: null }),
  customer('Calm', 'Quiet', { open: { ...none, Sev3: 4 } }),
];
const tile: DashboardTile = { id: 'u', kind: 'units', title: '', x: 0, y: 0, w: 3, h: 2 };
const wall = (count: number): CallOutput<typeof readWall> => ({
  name: 'Night shift',
  tenantName: 'Northwind',
  expires: '2036-01-01T00:00:00.000Z',
  tiles: [tile],
  reading: {
    asOf: now,
    names: [],
    tiles: [
      {
        id: 'u',
        state: 'Shown',
        scope: [],
        tenants: 1,
        tenantId,
        parts: [
          {
            tenantId: null,
            name: null,
            shown: {
              kind: 'units',
              count,
              bySeverity: none,
              rows: [{ workUnitId: 1, publicWorkUnitId: 1001, tenantId, title: 'Pump is hot', severityId: 'Sev1', created: now }],
            },
          },
        ],
      },
    ],
  },
});

beforeEach(() => localStorage.clear());
afterEach(() => vi.useRealTimers());

it('all customers: those that need somebody with their figures and reasons, the quiet ones apart', async () => {
  await renderApp(`/${tenantId}/dashboards/customers`, { customersNow: { asOf: now, value: customers } });
  const busy = within(await screen.findByRole('region', { name: 'Need somebody, 3' }));
  const [north, harbor, hidden] = busy.getAllByRole('listitem');
  expect(north?.textContent).toContain('Down');
  expect(north?.textContent).toContain('1 service level is breached');
  expect(north?.textContent).toContain('Ada Moreno');
  expect(north?.textContent).toContain('Router swap');
  busy.getByRole('img', { name: 'Open work units, last hours: between 1 and 3, now 2' });
  expect(harbor?.textContent).toContain('3 silent of 10');
  expect(harbor?.textContent).toContain('Nobody on call');
  expect(hidden?.textContent).toContain('You may not see enough to say that it is quiet');
  expect(hidden?.textContent).toContain('–');
  expect(within(screen.getByRole('region', { name: 'Quiet, 1' })).getByRole('listitem').textContent).toContain('Sev3 4');
  busy.getByRole('link', { name: 'Northwind' });
});

it('a link shows its dashboard without sign-in and without links, and says whom it shows', async () => {
  const { inputsOf } = await renderApp('/wall#cfsw_token', { readWall: wall(1) }, { signedIn: false });
  await screen.findByText('#1001 Pump is hot');
  screen.getByRole('heading', { name: 'Night shift' });
  screen.getByText('Northwind');
  screen.getByText(/^As of/);
  expect(screen.queryByRole('link')).toBeNull();
  expect(inputsOf('readWall')[0]).toEqual({ token: 'cfsw_token' });
});

it('a wall says when what it shows is out of date, and shows nothing once its link has ended', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  let status = 200;
  await renderApp(
    '/wall#cfsw_token',
    { readWall: () => (status === 200 ? Response.json(wall(1)) : refused(status, 'Gone.')()) },
    { signedIn: false },
  );
  await screen.findByText('#1001 Pump is hot');
  status = 500;
  await act(() => vi.advanceTimersByTimeAsync(90_000));
  await screen.findByText(/^Out of date: what you see is/);
  expect((await screen.findByRole('region', { name: 'Open work units' })).textContent).toContain('Out of date');
  screen.getByText('#1001 Pump is hot');
  status = 404;
  await act(() => vi.advanceTimersByTimeAsync(20_000));
  await screen.findByText('This wall is not available');
  expect(screen.queryByText('#1001 Pump is hot')).toBeNull();
  expect(screen.queryByText('Live')).toBeNull();
});

it('makes a link with the chosen values, shows it once, and ends one', async () => {
  const link = {
    dashboardLinkId: crypto.randomUUID(),
    dashboardId,
    tenantId,
    name: 'Lobby',
    expires: '2036-01-01T00:00:00.000Z',
    networks: ['10.0.0.0/8'],
    variables: {},
    tokenHint: '',
    created: now,
    createdBy: 'a@example.com',
    firstUsed: now,
    firstUsedFrom: '10.1.2.3',
    lastUsed: now,
    lastUsedFrom: '10.1.2.4',
    ended: null,
    endedBy: null,
    modified: now,
  };
  const row = {
    dashboardId,
    name: 'Night shift',
    tenantId,
    sharing: 'Only me',
    tiles: [],
    variables: [{ kind: 'tag', value: 'prod' }],
    ownerId: null,
    createdBy: 'a@example.com',
    created: now,
    modified: now,
    modifiedBy: 'a@example.com',
  };
  let isEnded = false;
  const { inputsOf } = await renderApp(`/${tenantId}/dashboards/${dashboardId}`, {
    [`GET /v1/dashboards(${dashboardId})`]: row,
    'GET /v1/dashboardLinks': () => Response.json({ value: [{ ...link, ended: isEnded ? now : null }] }),
    idleDashboardLinks: { dashboardLinkIds: [link.dashboardLinkId] },
    makeDashboardLink: ({ networks }) =>
      networks?.includes('abc')
        ? refused(400, 'abc is not a network.', [{ target: 'networks', message: 'abc is not a network.' }])()
        : { link, generatedToken: 'cfsw_violet' },
    endDashboardLink: () => {
      isEnded = true;
      return link;
    },
  });
  fireEvent.click(await screen.findByRole('button', { name: /Night shift/ }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Links without sign-in' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect((await dialog.findByText('Lobby')).closest('li')?.textContent).toContain('from 10.1.2.3');
  await dialog.findByText(/^Shows nothing: its maker has no access/);
  fireEvent.change(dialog.getByLabelText(/^Where it is shown/), { target: { value: 'Office' } });
  fireEvent.change(dialog.getByLabelText(/^Networks/), { target: { value: 'abc' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Make link' }));
  await dialog.findByText('abc is not a network.');
  expect(dialog.getByLabelText(/^Networks/).getAttribute('aria-invalid')).toBe('true');
  fireEvent.change(dialog.getByLabelText(/^Networks/), { target: { value: '10.0.0.0/8, 192.0.2.7' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Make link' }));
  await dialog.findByText(`${location.origin}/wall#cfsw_violet`);
  expect(inputsOf('makeDashboardLink')[1]).toMatchObject({
    dashboardId,
    name: 'Office',
    networks: ['10.0.0.0/8', '192.0.2.7'],
    variables: { tag: 'prod' },
  });
  fireEvent.click(dialog.getByRole('button', { name: 'End link' }));
  const question = within(await screen.findByRole('dialog', { name: 'End link' }));
  fireEvent.click(question.getByRole('button', { name: 'End link' }));
  await waitFor(() => expect(inputsOf('endDashboardLink')).toEqual([{ id: link.dashboardLinkId }]));
  // It is no link that is ready any more.
  await waitFor(() => expect(dialog.queryByText(/cfsw_violet/)).toBeNull());
});

it('says that the address of a wall is not complete, without a call', async () => {
  const { calls } = await renderApp('/wall', {}, { signedIn: false });
  await screen.findByText(/^This address is not complete/);
  expect(calls.some(({ name }) => name === 'readWall')).toBe(false);
});
