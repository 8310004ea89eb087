import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { allPermissions, permission } from '@cloudfit/contract/permissions.ts';
import { list, renderApp, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const other = '01a1fcdb-e331-70c1-ba47-fd1610462bbb';

beforeEach(() => localStorage.clear());

async function openPalette(answers: Answers = {}) {
  const app = await renderApp(`/${tenantId}/locations`, answers);
  await screen.findByRole('link', { name: 'Locations' });
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  return { ...app, input: await screen.findByRole('combobox', { name: 'Command palette' }) };
}

const options = () => screen.queryAllByRole('option').map((option) => option.textContent);
const active = (input: HTMLElement) => document.getElementById(input.getAttribute('aria-activedescendant') ?? '')?.textContent;
const type = (input: HTMLElement, value: string) => fireEvent.change(input, { target: { value } });

it('takes letters that come before its code into its input, for no shortcuts, and once', async () => {
  const { router } = await renderApp(`/${tenantId}/locations`);
  await screen.findByRole('link', { name: 'Locations' });
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  expect(screen.queryByRole('combobox', { name: 'Command palette' })).toBeNull();
  for (const key of ['g', 'd']) fireEvent.keyDown(document.body, { key });
  const input = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Command palette' });
  expect(input.value).toBe('gd');
  expect(router.state.location.pathname).toBe(`/${tenantId}/locations`);
  fireEvent.keyDown(input, { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('combobox', { name: 'Command palette' })).toBeNull());
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  expect((await screen.findByRole<HTMLInputElement>('combobox', { name: 'Command palette' })).value).toBe('');
});

it('opens by Ctrl K, is a combobox over a list, and closes by the same keys', async () => {
  const { input } = await openPalette();
  expect(document.activeElement).toBe(input);
  expect(input.getAttribute('aria-controls')).toBe(screen.getByRole('listbox').id);
  await waitFor(() => expect(active(input)).toContain('Home'));
  fireEvent.keyDown(input, { key: 'k', ctrlKey: true });
  await waitFor(() => expect(screen.queryByRole('combobox', { name: 'Command palette' })).toBeNull());
});

it('opens while somebody types, and not over another dialog', async () => {
  await renderApp(`/${tenantId}/locations`);
  await screen.findByRole('searchbox', { name: 'Search locations' });
  // Queries the search box again, because the list may have replaced the element since the line above.
  fireEvent.keyDown(screen.getByRole('searchbox', { name: 'Search locations' }), { key: 'k', metaKey: true });
  expect(await screen.findByRole('combobox', { name: 'Command palette' })).toBeTruthy();
  fireEvent.keyDown(screen.getByRole('combobox', { name: 'Command palette' }), { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('combobox', { name: 'Command palette' })).toBeNull());
  fireEvent.click(screen.getByRole('button', { name: 'License' }));
  await screen.findByRole('dialog', { name: 'License' });
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  expect(screen.queryByRole('combobox', { name: 'Command palette' })).toBeNull();
});

it('goes to a screen by typing and Enter', async () => {
  const { input, router } = await openPalette();
  type(input, 'dev');
  await waitFor(() => expect(options()[0]).toContain('Devices'));
  fireEvent.keyDown(input, { key: 'Enter' });
  await waitFor(() => expect(router.state.location.pathname).toBe(`/${tenantId}/devices`));
  expect(screen.queryByRole('combobox', { name: 'Command palette' })).toBeNull();
});

it('walks the list by arrows, around its ends', async () => {
  const { input } = await openPalette();
  await waitFor(() => expect(active(input)).toContain('Home'));
  fireEvent.keyDown(input, { key: 'ArrowDown' });
  expect(active(input)).toContain('Work Units');
  fireEvent.keyDown(input, { key: 'ArrowUp' });
  fireEvent.keyDown(input, { key: 'ArrowUp' });
  expect(active(input)).toBe('Log out');
  expect(within(screen.getByRole('listbox')).getAllByRole('option', { selected: true })).toHaveLength(1);
});

it('offers screens and creation only to those who may', async () => {
  await openPalette({ 'GET /v1/permissions': [permission('Locations', 'view'), permission('Locations', 'edit')] });
  await waitFor(() => expect(options().join()).toContain('Home'));
  expect(options().join()).not.toMatch(/Devices|Create/);
});

it.each([
  ['planned outage', 'Maintenance'],
  ['see as', 'People'],
  ['impersonate', 'People'],
  ['evidence', 'Compliance'],
  ['sign off', 'Compliance'],
  ['webhook', 'Action Catalog'],
  ['publishers', 'Publishers'],
  ['snmp', 'MIBs'],
  ['sla', 'Service Levels'],
  ['push', 'How I am notified'],
])('finds by “%s” the screen %s', async (typed, label) => {
  const { input } = await openPalette();
  type(input, typed);
  await waitFor(() => expect(options()[0]).toContain(label));
});

it('offers to create a rule only to those who may', async () => {
  const { input } = await openPalette({ 'GET /v1/permissions': allPermissions.filter((item) => item !== permission('Rules', 'create')) });
  type(input, 'create rule');
  await screen.findByText('Nothing matches “create rule”.');
});

it('offers the publishers only to those who may see them', async () => {
  const { input } = await openPalette({
    'GET /v1/permissions': allPermissions.filter((permission) => !permission.includes('Packages.Publishers')),
  });
  type(input, 'publishers');
  await screen.findByText('Nothing matches “publishers”.');
});

it('creates a work unit per type', async () => {
  const { input, router } = await openPalette();
  type(input, 'create');
  await waitFor(() =>
    expect(options()).toEqual(expect.arrayContaining(['Create Incident', 'Create Change Request', 'Create User Request'])),
  );
  fireEvent.click(screen.getByRole('option', { name: 'Create Change Request' }));
  await waitFor(() => expect(router.state.location.search).toBe('?workUnitId=new&type=2'));
});

it('creates a rule, for those who may', async () => {
  const { input, router } = await openPalette();
  type(input, 'create rule');
  fireEvent.click(await screen.findByRole('option', { name: 'Create Rule' }));
  await waitFor(() => expect(router.state.location.pathname + router.state.location.search).toBe(`/${tenantId}/rules?id=new`));
});

it('invites somebody, for those who may', async () => {
  const { input, router } = await openPalette();
  type(input, 'invite some');
  fireEvent.click(await screen.findByRole('option', { name: 'Invite somebody' }));
  await waitFor(() => expect(router.state.location.pathname + router.state.location.search).toBe('/people?invite=new'));
});

it('finds a work unit by its number 250 ms after the last key, and opens it', async () => {
  const { input, router, calls } = await openPalette({
    'GET /v1/workUnits': ({ query }: ApiCall) =>
      list(
        query.get('$filter')?.includes('1002')
          ? [{ workUnitId: 2, publicWorkUnitId: 1002, title: 'Pump 4 does not answer', stateId: 'New' }]
          : [],
      ),
  });
  const unitReads = () => calls.filter((call) => call.path === '/v1/workUnits').length;
  vi.useFakeTimers();
  type(input, '#10');
  type(input, '#1002');
  vi.advanceTimersByTime(249);
  expect(unitReads()).toBe(0);
  vi.advanceTimersByTime(1);
  vi.useRealTimers();
  await waitFor(() => expect(options()[0]).toContain('#1002 Pump 4 does not answer'));
  expect(unitReads()).toBe(1);
  fireEvent.keyDown(input, { key: 'Enter' });
  await waitFor(() => expect(router.state.location.search).toBe('?workUnitId=2'));
});

it('finds a device by its name', async () => {
  const { input, router, calls } = await openPalette({
    'GET /v1/devices': list([{ deviceId: 'd1', name: 'pump-4', tenantId: other }]),
  });
  type(input, 'pump');
  fireEvent.click(await screen.findByRole('option', { name: /pump-4/ }));
  await waitFor(() => expect(router.state.location.pathname).toBe(`/${other}/devices`));
  expect(calls.find((call) => call.path === '/v1/devices')?.query.get('$filter')).toContain("'pump'");
});

it('finds units by words, with their state and tenant, and people by name', async () => {
  const { input, router, calls } = await openPalette({
    'GET /api/generallookup/tenants': [{ tenantId: other, name: 'Alder Water' }],
    'GET /v1/workUnits': list([
      { workUnitId: 2, publicWorkUnitId: 1002, title: 'Payment terminal offline', stateId: 'OnHold', tenantId: other },
    ]),
    'GET /v1/people': list([{ personId: 'p1', name: 'Henrietta Moss', userName: 'h.moss@example.com' }]),
  });
  type(input, 'offline paymnet');
  const unit = await screen.findByRole('option', { name: /#1002/ });
  expect(unit.textContent).toBe('#1002 Payment terminal offlineOnHold · Alder Water');
  const unitQuery = calls.find((call) => call.path === '/v1/workUnits')?.query;
  expect(unitQuery?.get('$filter')).toBe("found('offline paymnet')");
  expect(unitQuery?.get('$orderby')).toBe("relevance('offline paymnet') desc,workUnitId desc");
  const person = await screen.findByRole('option', { name: /Henrietta Moss/ });
  expect(person.textContent).toContain('h.moss@example.com');
  fireEvent.click(person);
  await waitFor(() => expect(router.state.location.pathname + router.state.location.search).toBe('/people?id=p1'));
});

it('switches the tenant through the server', async () => {
  const { input, calls } = await openPalette({
    'GET /api/generallookup/tenants': [
      { tenantId, name: 'Northwind Energy' },
      { tenantId: other, name: 'Contoso Water' },
    ],
    'GET /api/generallookup/subscriptions': [{ subscriptionId: 's2', name: 'Wells', tenantId: other }],
    [`POST /v1/tenantSubscriptionContext/${other}`]: {},
  });
  type(input, 'contoso');
  fireEvent.click(await screen.findByRole('option', { name: /Contoso Water/ }));
  await waitFor(() =>
    expect(calls.find((call) => call.method === 'POST')).toMatchObject({
      path: `/v1/tenantSubscriptionContext/${other}`,
      body: { tenant: other, subscriptionId: 's2' },
    }),
  );
});

it('switches the theme, and says when nothing matches', async () => {
  document.documentElement.dataset['theme'] = 'light';
  const { input } = await openPalette({ 'GET /v1/permissions': allPermissions.filter((permission) => !permission.endsWith(':mine')) });
  type(input, 'zebra crossing');
  expect(await screen.findByText('Nothing matches “zebra crossing”.')).toBeTruthy();
  expect(input.getAttribute('aria-expanded')).toBe('false');
  type(input, 'dark');
  fireEvent.keyDown(input, { key: 'Enter' });
  expect(document.documentElement.dataset['theme']).toBe('dark');
});

it('finds administration by what people would call it', async () => {
  const { input } = await openPalette();
  for (const [word, screenName] of [
    ['users', 'People'],
    ['invite', 'People'],
    ['access', 'Access'],
    ['grants', 'Access'],
    ['roles', 'Permission Sets'],
    ['audit', 'Audit'],
    ['history', 'Audit'],
    ['import', 'Configuration'],
    ['retention', 'Configuration'],
  ] as const) {
    type(input, word);
    await waitFor(() => expect([word, options()[0]]).toEqual([word, expect.stringContaining(screenName)]));
  }
});
