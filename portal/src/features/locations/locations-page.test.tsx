import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { mapAddress } from './locations-page.tsx';
import { list, refused, renderApp, tenantId, type ApiCall } from '../../testing/render-app.tsx';

const lund = {
  locationId: '01a1fcdb-0000-7000-8000-000000000001',
  name: 'Lund plant',
  city: 'Lund',
  state: 'Skåne',
  tenantId: null,
  tenant: null,
  country: null,
};
const answers = {
  'GET /v1/devices': ({ query }: ApiCall) => (query.has('$apply') ? { value: [{ locationId: lund.locationId, n: 1234 }] } : list([])),
  'GET /v1/locations': list([lund]),
  [`GET /v1/locations(${lund.locationId})`]: lund,
};
const address = `/${tenantId}/locations`;

beforeEach(() => localStorage.clear());

it('lists name, city, state and tenant with an edit action', async () => {
  await renderApp(address, answers);
  const name = await proves('[LOC-001] is the screen of locations', () => screen.findByText('Lund plant'));
  await proves('[LOC-002] has these columns', async () => {
    const row = within(name.closest('tr') as HTMLElement);
    expect(screen.getAllByRole('columnheader').map((cell) => cell.textContent)).toEqual([
      'Name',
      'City',
      'State',
      'Tenant',
      'Devices',
      'Actions',
    ]);
    expect(row.getByText('Skåne')).toBeTruthy();
    await row.findByText('1,234');
    expect(row.getByText('Global')).toBeTruthy();
    expect(row.getByRole('button', { name: /Edit/ })).toBeTruthy();
  });
});

it('searches name, city and state', async () => {
  const { calls } = await renderApp(`${address}?search=Lund`, answers);
  await screen.findByText('Lund plant');
  const filter = calls.findLast((call) => call.path === '/v1/locations')?.query.get('$filter') ?? '';
  await proves('[LOC-003] by name', () => expect(filter).toContain("contains(folded(name),'lund')"));
  await proves('[LOC-004] by city', () => expect(filter).toContain("contains(folded(city),'lund')"));
  await proves('[LOC-005] by state', () => expect(filter).toContain("contains(folded(state),'lund')"));
});

it('[LOC-006][SHELL-060] the panel creates and edits', async () => {
  const { calls } = await renderApp(address, { ...answers, 'PUT /v1/locations': lund, [`POST /v1/locations/${lund.locationId}`]: lund });
  fireEvent.click(await screen.findByRole('button', { name: 'Create' }));
  const creating = within(await screen.findByRole('dialog', { name: 'Create Location' }));
  fireEvent.click(creating.getByRole('button', { name: 'Create' }));
  await creating.findByText('Name is required.');
  fireEvent.change(creating.getByLabelText(/^Name/), { target: { value: 'Lund plant' } });
  fireEvent.click(creating.getByRole('button', { name: 'Create' }));
  await waitFor(() => expect(calls.some((call) => call.method === 'PUT')).toBe(true));
  expect(calls.find((call) => call.method === 'PUT')?.body).toMatchObject({ name: 'Lund plant', tenantId, city: null });

  fireEvent.click(await screen.findByRole('link', { name: /Lund plant/ }));
  const editing = within(await screen.findByRole('dialog', { name: 'Edit Location: Lund plant' }));
  fireEvent.change(editing.getByLabelText(/^City/), { target: { value: 'Malmö' } });
  fireEvent.click(editing.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(calls.find((call) => call.method === 'POST')?.body).toEqual({ city: 'Malmö' }));
});

it('[LOC-007] leads from the coordinates to a map', async () => {
  const placed = { ...lund, coordinates: '55.7047, 13.191' };
  await renderApp(`${address}?id=${lund.locationId}`, {
    ...answers,
    [`GET /v1/locations(${lund.locationId})`]: placed,
    'GET /v1/locations': list([placed]),
  });
  const link = await screen.findByRole('link', { name: 'Show on the map' });
  expect(link.getAttribute('href')).toBe('https://www.openstreetmap.org/?mlat=55.7047&mlon=13.191#map=15/55.7047/13.191');
  expect(['', 'next to the mill', '95, 0', '0, 181', null].map(mapAddress)).toEqual(Array.from({ length: 5 }, () => undefined));
});

it('[ERR-020] a failed save says so and keeps what was typed', async () => {
  await renderApp(`${address}?id=new`, { ...answers, 'PUT /v1/locations': refused(500, 'x') });
  const panel = within(await screen.findByRole('dialog', { name: 'Create Location' }));
  fireEvent.change(panel.getByLabelText(/^Name/), { target: { value: 'Lund plant' } });
  fireEvent.click(panel.getByRole('button', { name: 'Create' }));
  await screen.findByText('A problem occurred saving the location. Please try again.');
  expect(panel.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Lund plant');
});

it('a phone keeps the menu of a row, and leaves out a column that could only open it', async () => {
  await renderApp(address, answers);
  const menu = await screen.findByRole('button', { name: 'Actions for Lund plant' });
  expect([...(menu.closest('td')?.classList ?? [])]).toEqual(['fits', 'end']);
  expect(screen.getByText('Actions', { selector: 'th *' }).className).toBe('visually-hidden');
  const category = { workUnitCategoryId: 'c1', name: 'Telephony', workUnitTypeId: 1, isEnabled: true, tenantId, subcategories: [] };
  await renderApp(`/${tenantId}/workunitsettings`, { 'GET /v1/workUnitCategories': list([category]) });
  expect((await screen.findByRole('button', { name: 'Edit Telephony' })).closest('td')?.className).toContain('below-sm');
});

it('[ERR-016] what is forbidden is said once, whether it was saved or deleted, and the form stays', async () => {
  const denied = 'You do not have access to one or more requested resources';
  await renderApp(`${address}?id=new`, {
    ...answers,
    'PUT /v1/locations': refused(403, 'No.'),
    [`DELETE /v1/locations/${lund.locationId}`]: refused(403, 'No.'),
  });
  const alerts = () => within(screen.getByRole('region', { name: 'Notifications' })).getAllByRole('alert');
  for (const close of screen.queryAllByRole('button', { name: 'Close' })) fireEvent.click(close);
  const panel = within(await screen.findByRole('dialog', { name: 'Create Location' }));
  fireEvent.change(panel.getByLabelText(/^Name/), { target: { value: 'Malmö plant' } });
  fireEvent.click(panel.getByRole('button', { name: 'Create' }));
  await screen.findByText(denied);
  await waitFor(() => expect(panel.getByRole<HTMLButtonElement>('button', { name: 'Create' }).disabled).toBe(false));
  expect(panel.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Malmö plant');
  expect(alerts().map((alert) => alert.textContent)).toEqual([denied]);
  fireEvent.click(within(alerts()[0] as HTMLElement).getByRole('button', { name: 'Close' }));

  fireEvent.click(screen.getByRole('button', { name: 'Actions for Lund plant' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  fireEvent.click(within(await screen.findByRole('dialog', { name: 'Delete Location' })).getByRole('button', { name: 'Delete' }));
  await screen.findByText(denied);
  expect(alerts().map((alert) => alert.textContent)).toEqual([denied]);
});
