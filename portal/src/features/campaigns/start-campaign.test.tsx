import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { permission } from '@cloudfit/contract/permissions.ts';
import { list, refused, subscriptionId, tenantId } from '../../testing/render-app.tsx';
import { idOf, deviceOf, campaignId, open, click, selectAll, dialog, bodyOf } from './campaigns.fixtures.ts';

beforeEach(() => localStorage.clear());

it('restarts all devices of a filter in four clicks, and leads to the campaign', async () => {
  const all = { '@odata.count': 3, value: [1, 2, 3].map((n) => deviceOf(n, `pump-${n}`)) };
  const { calls, router } = await open('devices', {
    'GET /v1/devices': ({ query }: { query: URLSearchParams }) =>
      query.get('$top') === '1000' ? all : { ...all, value: all.value.slice(0, 2) },
  });
  await selectAll();
  fireEvent.click(await screen.findByRole('button', { name: 'Select all 3' }));
  await screen.findByText('3 selected');
  click('Restart');
  const question = await dialog('Restart the agents of 3 devices');
  await question.findByText('1 is offline: they begin when they are back, within 24 hours.');
  fireEvent.click(question.getByRole('button', { name: 'Restart 3 devices' }));
  await waitFor(() => expect(router.state.location.pathname).toBe(`/${tenantId}/campaigns/${campaignId}`));
  expect(bodyOf(calls, 'start')).toEqual({ tenantId, kind: 'RestartAgent', deviceIds: [1, 2, 3].map(idOf) });
  await screen.findByRole('heading', { name: 'Run Measure' });
});

it('begins by keys alone; the actions lie over the heading, so that nothing moves', async () => {
  const all = { '@odata.count': 3, value: [1, 2, 3].map((n) => deviceOf(n, `pump-${n}`)) };
  const { calls } = await open('devices', {
    'GET /v1/devices': ({ query }: { query: URLSearchParams }) =>
      query.get('$top') === '1000' ? all : { ...all, value: all.value.slice(0, 2) },
  });
  const row = (await screen.findByRole('link', { name: 'pump-1' })).closest('tr');
  const bar = document.querySelector('.page-bar')?.textContent;
  row?.focus();
  const key = (pressed: object) => fireEvent.keyDown(document.activeElement ?? document.body, pressed);
  key({ key: 'a', ctrlKey: true });
  await screen.findByText('2 selected');
  key({ key: 'a', ctrlKey: true });
  await screen.findByText('3 selected');
  expect(document.querySelector('.page-bar')?.textContent).toBe(bar);
  expect(screen.getByRole('button', { name: 'Name' }).tabIndex).toBe(-1);
  key({ key: 'a' });
  const run = screen.getByRole('button', { name: 'Run operation' });
  expect(document.activeElement?.closest('[data-acts]')?.contains(run)).toBe(true);
  click('Run operation');
  const question = await dialog('Run an operation on 3 devices');
  const operation = await question.findByLabelText(/^Operation/);
  expect(document.activeElement).toBe(operation);
  fireEvent.change(operation, { target: { value: 'o1' } });
  const start = question.getByRole<HTMLButtonElement>('button', { name: 'Run on 3 devices' });
  await waitFor(() => expect(start.disabled).toBe(false));
  key({ key: 'Enter', ctrlKey: true });
  await waitFor(() => expect(bodyOf(calls, 'start')).toMatchObject({ kind: 'RunOperation', deviceIds: [1, 2, 3].map(idOf) }));
});

it('takes more devices than one page of ids by their filter', async () => {
  const { calls } = await open('devices', {
    'GET /v1/devices': { '@odata.count': 2_500, value: [1, 2].map((n) => deviceOf(n, `pump-${n}`)) },
    previewCampaign: { total: 2_500, offline: 0, disabled: 0, already: 0, unable: 0, needed: 0 },
  });
  await selectAll();
  fireEvent.click(await screen.findByRole('button', { name: 'Select all 2,500' }));
  await screen.findByText('All 2,500 selected');
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: /pump-2/ }).checked).toBe(true);
  click('Restart');
  const question = await dialog('Restart the agents of 2,500 devices');
  await question.findByText('2,500 devices can begin at once.');
  fireEvent.click(question.getByRole('checkbox', { name: 'Roll out in rings' }));
  question.getByText('Last ring: the other 2,250 devices');
  fireEvent.click(question.getByRole('button', { name: 'Restart 2,500 devices' }));
  const filter = `tenantId eq ${tenantId} and subscriptionId eq ${subscriptionId}`;
  await waitFor(() =>
    expect(bodyOf(calls, 'start')).toMatchObject({ tenantId, kind: 'RestartAgent', filter, rings: [{ share: 1 }, { share: 10 }] }),
  );
});

it('puts all devices of a filter into maintenance, those that come later too', async () => {
  const { calls } = await open('devices', {
    'GET /v1/devices': { '@odata.count': 2_500, value: [1, 2].map((n) => deviceOf(n, `pump-${n}`)) },
    'PUT /v1/maintenanceWindows': {},
  });
  await selectAll();
  fireEvent.click(await screen.findByRole('button', { name: 'Select all 2,500' }));
  await screen.findByText('All 2,500 selected');
  click('Maintenance');
  const start = await dialog('Maintenance of 2,500 devices');
  start.getByText(/^Devices that begin to match the filter meanwhile are in maintenance too\./);
  fireEvent.click(start.getByRole('button', { name: '1 hour' }));
  await waitFor(() => expect(calls.filter((call) => call.method === 'PUT')).toHaveLength(1));
  const body = calls.find((call) => call.method === 'PUT')?.body as Record<string, unknown>;
  expect(body).toMatchObject({ tenantId, deviceFilter: `tenantId eq ${tenantId} and subscriptionId eq ${subscriptionId}` });
  expect(body).not.toHaveProperty('deviceIds');
});

it('selects single devices again when one of all is unticked', async () => {
  await open('devices', { 'GET /v1/devices': { '@odata.count': 2_500, value: [1, 2, 3].map((n) => deviceOf(n, `pump-${n}`)) } });
  await selectAll();
  fireEvent.click(await screen.findByRole('button', { name: 'Select all 2,500' }));
  fireEvent.click(screen.getByRole('checkbox', { name: /pump-2/ }));
  await screen.findByText('2 selected');
});

it('asks for the operation, the version or the package, and says how many devices are concerned', async () => {
  const { calls } = await open('devices');
  await selectAll();
  click('Run operation');
  const run = await dialog('Run an operation on 2 devices');
  expect(run.getByRole<HTMLButtonElement>('button', { name: 'Run on 2 devices' }).disabled).toBe(true);
  fireEvent.change(await run.findByRole('combobox', { name: 'Operation' }), { target: { value: 'o1' } });
  await run.findByText('1 device can begin at once.');
  expect(bodyOf(calls, 'preview')).toMatchObject({ kind: 'RunOperation', operationId: 'o1', deviceIds: [idOf(1), idOf(2)] });
  fireEvent.click(run.getByRole('button', { name: 'Cancel' }));

  click('Install');
  const install = await dialog('Install a version on 2 devices');
  fireEvent.change(await install.findByRole('combobox', { name: 'Package' }), { target: { value: 'p1' } });
  const version = await install.findByRole<HTMLSelectElement>('combobox', { name: 'Version' });
  expect([version.value, ...[...version.options].map((option) => option.textContent)]).toEqual([
    'v2',
    'Please choose',
    '1.1.0 (on 0 devices)',
    '1.0.0 (on 1 device)',
  ]);
  fireEvent.change(version, { target: { value: 'v1' } });
  fireEvent.click(install.getByRole('button', { name: 'Install on 2 devices' }));
  await waitFor(() => expect(bodyOf(calls, 'start')).toMatchObject({ kind: 'InstallVersion', packageId: 'p1', packageVersionId: 'v1' }));
});

it('copies operations of a device, traces, edits tags and moves from the menu', async () => {
  const { calls } = await open('devices', {
    'GET /v1/deviceOperations': list([
      { deviceOperationId: idOf(7), label: 'Disk' },
      { deviceOperationId: idOf(8), label: 'Memory' },
    ]),
    locationLookup: [{ locationId: idOf(9), name: 'Harbour', tenantId }],
  });
  await selectAll();
  const choose = async (action: string) => {
    click('More');
    fireEvent.click(await screen.findByRole('menuitem', { name: action }));
  };
  const started = (body: object) => waitFor(() => expect(bodyOf(calls, 'start')).toMatchObject(body));

  await choose('Trace');
  const trace = await dialog('Trace 2 devices');
  fireEvent.change(trace.getByRole('combobox', { name: 'Trace for' }), { target: { value: '60' } });
  fireEvent.click(trace.getByRole('button', { name: 'Cancel' }));

  await choose('Edit tags');
  const tags = await dialog('Edit the tags of 2 devices');
  fireEvent.change(tags.getByLabelText('Add tags'), { target: { value: 'north, pump ' } });
  fireEvent.click(tags.getByRole('button', { name: 'Cancel' }));

  await choose('Move');
  const move = await dialog('Move 2 devices');
  fireEvent.mouseDown(move.getByRole('combobox', { name: 'Location' }));
  fireEvent.click(await screen.findByRole('option', { name: 'Harbour' }));
  await waitFor(() => expect(bodyOf(calls, 'preview')).toMatchObject({ kind: 'Move', locationId: idOf(9) }));
  fireEvent.click(move.getByRole('button', { name: 'Cancel' }));
  expect(calls.filter((call) => call.path === '/v1/campaigns/preview').map((call) => call.body)).toMatchObject([
    { kind: 'SetTracing', traceMinutes: 60 },
    { kind: 'EditTags', addTags: ['north', 'pump'] },
    { kind: 'Move', locationId: idOf(9) },
  ]);

  await choose('Add operations');
  const add = await dialog('Add operations to 2 devices');
  fireEvent.mouseDown(add.getByRole('combobox', { name: 'Copy from' }));
  fireEvent.click(await screen.findByRole('option', { name: 'pump-1' }));
  fireEvent.click(await add.findByRole('checkbox', { name: 'Memory' }));
  fireEvent.click(add.getByRole('button', { name: 'Add to 2 devices' }));
  await started({ kind: 'AddOperations', deviceOperationIds: [idOf(8)], deviceIds: [idOf(1), idOf(2)] });
});

it('says why a campaign could not be started, and keeps the question', async () => {
  await open('devices', { startCampaign: refused(400, 'The campaign is wrong.') });
  await selectAll();
  click('Restart');
  const question = await dialog('Restart the agents of 2 devices');
  fireEvent.click(question.getByRole('button', { name: 'Restart 2 devices' }));
  await screen.findByText('The campaign is wrong.');
  question.getByRole('button', { name: 'Restart 2 devices' });
});

it('offers no selection to those who may not edit devices', async () => {
  await open('devices', { permissionsOfCaller: [permission('Devices', 'view')] });
  await screen.findByRole('link', { name: 'pump-1' });
  expect(within(screen.getByRole('table', { name: 'Devices' })).queryByRole('checkbox')).toBeNull();
});

it('keeps that the operation is added where it is missing when a label is chosen or cleared', async () => {
  const operations = [{ operationId: 'o1', name: 'Measure', packageName: 'Checks', devices: 1, labels: ['Disk'], addable: true }];
  const { calls } = await open('devices', { campaignChoices: { operations, packages: [] } });
  await selectAll();
  click('Run operation');
  const run = await dialog('Run an operation on 2 devices');
  fireEvent.change(await run.findByRole('combobox', { name: 'Operation' }), { target: { value: 'o1' } });
  fireEvent.click(run.getByRole('checkbox', { name: 'Add it to the 1 device without it first, with default values' }));
  fireEvent.change(run.getByRole('combobox', { name: 'Label' }), { target: { value: 'Disk' } });
  fireEvent.change(run.getByRole('combobox', { name: 'Label' }), { target: { value: '' } });
  fireEvent.click(run.getByRole('button', { name: 'Run on 2 devices' }));
  await waitFor(() => expect(bodyOf(calls, 'start')).toMatchObject({ operationId: 'o1', addMissing: true }));
  expect(bodyOf(calls, 'start')).not.toHaveProperty('label');
});

it('adds an operation where it is missing when that is ticked, asks again how many could run it, and never offers what cannot be added', async () => {
  const measure = { operationId: 'o1', name: 'Measure', packageName: 'Checks', devices: 1, labels: [], addable: true };
  const operations = [
    measure,
    { ...measure, operationId: 'o2', name: 'Login', addable: false },
    { ...measure, operationId: 'o3', name: 'Clean', devices: 0 },
  ];
  const { calls } = await open('devices', { campaignChoices: { operations, packages: [] } });
  await selectAll();
  click('Run operation');
  const run = await dialog('Run an operation on 2 devices');
  const choose = async (value: string) => fireEvent.change(await run.findByRole('combobox', { name: 'Operation' }), { target: { value } });
  const tick = (name: RegExp) => run.getByRole<HTMLInputElement>('checkbox', { name });
  await choose('o2');
  expect(run.queryByRole('checkbox', { name: /without it/ })).toBeNull();
  await choose('o1');
  expect(tick(/^Add it to the 1 device without it/).checked).toBe(false);
  await waitFor(() => expect(bodyOf(calls, 'preview')).not.toHaveProperty('addMissing'));
  fireEvent.click(tick(/without it/));
  await waitFor(() => expect(bodyOf(calls, 'preview')).toMatchObject({ operationId: 'o1', addMissing: true }));
  fireEvent.click(tick(/without it/));
  expect(tick(/without it/).checked).toBe(false);
  // No device has the operation, so the campaign must add it.
  await choose('o3');
  expect(tick(/^Add it to the 2 devices without it/).checked).toBe(true);
  fireEvent.click(run.getByRole('button', { name: 'Run on 2 devices' }));
  await waitFor(() => expect(bodyOf(calls, 'start')).toMatchObject({ operationId: 'o3', addMissing: true }));
});

it('says why a version cannot be installed, and does not begin', async () => {
  await open('devices', { previewCampaign: refused(400, 'Version 1.1.0 cannot be installed: no publisher has signed it.') });
  await selectAll();
  click('Install');
  const install = await dialog('Install a version on 2 devices');
  fireEvent.change(await install.findByRole('combobox', { name: 'Package' }), { target: { value: 'p1' } });
  await install.findByText('Version 1.1.0 cannot be installed: no publisher has signed it.');
  expect(install.getByRole<HTMLButtonElement>('button', { name: 'Install on 2 devices' }).disabled).toBe(true);
});
