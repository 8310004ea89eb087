import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { permission } from '@cloudfit/contract/permissions.ts';
import { list, renderApp, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const id = '01a1fcdb-e331-70c1-ba47-000000000a01';
const deviceId = '01a1fcdb-e331-70c1-ba47-000000000a02';
const locationId = '01a1fcdb-e331-70c1-ba47-000000000a03';
const running = {
  maintenanceWindowId: id,
  tenantId,
  reason: 'New disk',
  startsAt: new Date(Date.now() - 60_000).toISOString(),
  endsAt: new Date(Date.now() + 3_600_000).toISOString(),
  deviceIds: [deviceId],
  locationId: null,
  workUnitId: null,
  isChange: false,
  ruleIds: null,
  holdsSilence: false,
  deviceSelectionId: null,
  createdBy: 'mara@northwind.example',
  location: null,
  workUnit: null,
  tenant: { tenantId, name: 'Northwind Energy' },
};
const heldNow = {
  maintenanceWindowId: id,
  devices: 1,
  matches: 2,
  waiting: 1,
  first: [
    { ruleMatchId: 'm1', label: 'High CPU: web-01', since: running.startsAt, waits: true },
    { ruleMatchId: 'm2', label: 'Disk full: web-01', since: running.startsAt, waits: false },
  ],
};
const answers: Answers = {
  'GET /v1/maintenanceWindows': list([running]),
  [`GET /v1/maintenanceWindows(${id})`]: running,
  'GET /v1/devices': list([{ deviceId, name: 'web-01' }]),
  'POST /v1/maintenance/held': { value: [heldNow] },
  'POST /v1/maintenance/now': { value: [] },
  [`POST /v1/maintenance/end/${id}`]: { ...running, endsAt: new Date().toISOString() },
  [`POST /v1/maintenanceWindows/${id}`]: running,
  'PUT /v1/maintenanceWindows': running,
};
const open = (query = '', more: Answers = {}) => renderApp(`/${tenantId}/maintenance${query}`, { ...answers, ...more });
const sent = (calls: readonly ApiCall[], method: string, path: string) =>
  calls.filter((call) => call.method === method && call.path === path).map(({ body }) => body as Record<string, unknown>);

it('lists why, who, until when, and what is held now; extends and ends', async () => {
  const { calls } = await open();
  const row = (await screen.findByText('New disk')).closest('tr') as HTMLElement;
  await within(row).findByText('2 matches, 1 waiting');
  expect(within(row).getAllByText('Running').length).toBeGreaterThan(0);
  await within(row).findByText('web-01');
  await within(row).findByText('Mara Okafor');
  fireEvent.click(within(row).getByRole('button', { name: 'Extend' }));
  fireEvent.click(await screen.findByRole('button', { name: '+ 4 hours' }));
  await waitFor(() => expect(sent(calls, 'POST', `/v1/maintenanceWindows/${id}`)).toHaveLength(1));
  const [extended] = sent(calls, 'POST', `/v1/maintenanceWindows/${id}`);
  expect(Date.parse(String(extended?.['endsAt'])) - Date.parse(running.endsAt)).toBe(4 * 3_600_000);
  fireEvent.click(within(row).getByRole('button', { name: 'End now' }));
  await waitFor(() => expect(sent(calls, 'POST', `/v1/maintenance/end/${id}`)).toHaveLength(1));
});

it('says that it is over as soon as it was ended, by the clock of the server', async () => {
  let row: object = running;
  // The clock of the server is two minutes ahead of the clock of the page.
  const ended = new Date(Date.now() + 120_000).toISOString();
  await open('', {
    'GET /v1/maintenanceWindows': () => list([row]),
    [`POST /v1/maintenance/end/${id}`]: () => (row = { ...running, endsAt: ended, modified: ended }),
  });
  const listed = (await screen.findByText('New disk')).closest('tr') as HTMLElement;
  fireEvent.click(await within(listed).findByRole('button', { name: 'End now' }));
  await within((await screen.findByText('New disk')).closest('tr') as HTMLElement).findAllByText('Over');
  expect(screen.queryByRole('button', { name: 'End now' })).toBeNull();
});

it('links the matches that it holds', async () => {
  await open(`?id=${id}`);
  const panel = await screen.findByRole('region', { name: 'Matches in the maintenance' });
  expect((await within(panel).findByRole('link', { name: 'High CPU: web-01' })).getAttribute('href')).toBe(`/${tenantId}/matches/m1`);
  expect(within(panel).getByText('actions wait')).toBeTruthy();
});

it('changes nothing for who may only look', async () => {
  await open('', {
    'GET /v1/permissions': [permission('Maintenance', 'view'), permission('Devices', 'view'), permission('Tenants', 'view')],
  });
  await screen.findByText('New disk');
  expect(screen.queryByRole('button', { name: 'End now' })).toBeNull();
});

it('puts a location into maintenance with two clicks', async () => {
  const plant = { locationId, name: 'Lund plant', city: 'Lund', state: null, tenantId, tenant: { tenantId, name: 'Northwind Energy' } };
  const { calls } = await renderApp(`/${tenantId}/locations`, { ...answers, 'GET /v1/locations': list([plant]) });
  fireEvent.click(await screen.findByRole('button', { name: 'Maintenance of Lund plant' }));
  const before = Date.now();
  fireEvent.click(await screen.findByRole('button', { name: '1 hour' }));
  await waitFor(() => expect(sent(calls, 'PUT', '/v1/maintenanceWindows')).toHaveLength(1));
  const [body] = sent(calls, 'PUT', '/v1/maintenanceWindows');
  expect(body).toMatchObject({ tenantId, locationId, reason: 'Maintenance of Lund plant' });
  expect(Math.abs(Date.parse(String(body?.['endsAt'])) - before - 3_600_000)).toBeLessThan(600_000);
});

it('says that it is of a filter, with its devices', async () => {
  const filtered = { ...running, deviceIds: [], deviceFilter: "contains(name, 'web')" };
  await open(`?id=${id}&tab=devices`, {
    'GET /v1/maintenanceWindows': list([filtered]),
    [`GET /v1/maintenanceWindows(${id})`]: filtered,
    'POST /v1/maintenance/held': { value: [{ ...heldNow, devices: 1_200 }] },
    [`GET /v1/devices/GetDevicesInMaintenance(maintenanceWindowId=${id})`]: {
      '@odata.count': 1_200,
      value: [{ deviceId, name: 'web-01' }],
    },
  });
  await screen.findByText('1,200 devices of a filter');
  await screen.findByText("contains(name, 'web')");
  const link = await screen.findByRole('link', { name: 'web-01' });
  expect(link.getAttribute('href')).toBe(`/${tenantId}/devices/${deviceId}`);
  screen.getByText('and 1,199 more');
});

it('says of which selection it is, with its devices', async () => {
  const deviceSelection = { deviceSelectionId: 's1', name: 'Racks' };
  const selected = { ...running, deviceIds: [], deviceSelectionId: 's1', deviceSelection };
  await open(`?id=${id}&tab=devices`, {
    'GET /v1/maintenanceWindows': list([selected]),
    [`GET /v1/maintenanceWindows(${id})`]: selected,
    [`GET /v1/devices/GetDevicesInMaintenance(maintenanceWindowId=${id})`]: { '@odata.count': 1, value: [{ deviceId, name: 'web-01' }] },
  });
  await screen.findByText('Selection Racks: 1 device');
  // The panel shows its other tab.
  expect((await screen.findByText('Racks')).getAttribute('href')).toBe(`/${tenantId}/deviceselections?id=s1`);
  await screen.findByRole('link', { name: 'web-01' });
});

it('covers the devices of a selection while they are in it', async () => {
  const selection = { deviceSelectionId: 's1', name: 'Racks', tenantId, tenantGroupId: null, filter: 'enabled eq true', problem: null };
  const { calls } = await renderApp(`/${tenantId}/deviceselections?id=s1&tab=devices`, {
    ...answers,
    'GET /v1/deviceSelections': list([selection]),
    'GET /v1/deviceSelections(s1)': selection,
    'GET /v1/selectionMembers': list([]),
    previewSelection: { count: 0, devices: [] },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Maintenance' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Maintenance of Racks' }));
  dialog.getByText(/those that leave no longer/);
  fireEvent.click(dialog.getByRole('button', { name: '1 hour' }));
  await waitFor(() => expect(sent(calls, 'PUT', '/v1/maintenanceWindows')).toHaveLength(1));
  expect(sent(calls, 'PUT', '/v1/maintenanceWindows')[0]).toMatchObject({ tenantId, deviceSelectionId: 's1' });
});
