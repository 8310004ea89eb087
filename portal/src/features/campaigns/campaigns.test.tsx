import '../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { permission } from '@cloudfit/contract/permissions.ts';
import { list, refused, renderApp, subscriptionId, tenantId, type Answers } from '../../testing/render-app.tsx';

const idOf = (n: number) => `01a1fcdb-e331-70c1-ba47-0000000000d${n}`;
const deviceOf = (n: number, name: string) => ({
  deviceId: idOf(n),
  name,
  tenantId,
  tenant: { tenantId, name: 'Northwind Energy' },
  subscriptionId,
  locationId: null,
  location: null,
  enabled: true,
});
const campaignId = '01a1fcdb-e331-70c1-ba47-0000000000c1';
const campaign = {
  campaignId,
  tenantId,
  title: 'Run Measure',
  kind: 'RunOperation',
  state: 'Running',
  total: 3,
  waiting: 1,
  running: 0,
  done: 1,
  failed: 1,
  stopped: 0,
  returned: 0,
  rings: null,
  ring: 0,
  createdBy: 'mara@northwind.example',
  created: '2026-05-01T08:00:00.000Z',
  ended: null,
};
const outcomeOf = (n: number, name: string, outcome: string, more: object = {}) => ({
  campaignDeviceId: `01a1fcdb-e331-70c1-ba47-0000000000e${n}`,
  campaignId,
  tenantId,
  deviceId: idOf(n),
  device: { deviceId: idOf(n), name },
  deviceOperationId: null,
  outcome,
  reason: null,
  begun: null,
  ended: null,
  ...more,
});
const outcomes = [
  outcomeOf(1, 'pump-1', 'Done', { deviceOperationId: '01a1fcdb-e331-70c1-ba47-0000000000f1' }),
  outcomeOf(2, 'pump-2', 'Failed', { reason: 'The disk is gone.' }),
  outcomeOf(3, 'pump-3', 'Waiting'),
];
const packageOf = { packageId: 'p1', name: 'Checks', devices: 1 };
const answers: Answers = {
  'GET /v1/devices': { '@odata.count': 3, value: [deviceOf(1, 'pump-1'), deviceOf(2, 'pump-2')] },
  'POST /v1/campaigns/preview': { total: 2, offline: 1, disabled: 0, already: 0, unable: 0 },
  'POST /v1/campaigns/choices': {
    operations: [{ operationId: 'o1', name: 'Measure', packageName: 'Checks', devices: 2, labels: [] }],
    packages: [
      {
        ...packageOf,
        versions: [
          { packageVersionId: 'v2', version: '1.1.0', devices: 0 },
          { packageVersionId: 'v1', version: '1.0.0', devices: 1 },
        ],
      },
    ],
  },
  'POST /v1/campaigns/start': campaign,
  'GET /v1/campaigns': list([campaign]),
  [`GET /v1/campaigns(${campaignId})`]: campaign,
  'GET /v1/campaignDevices': list(outcomes),
  [`POST /v1/campaigns/${campaignId}/stop`]: { ...campaign, state: 'Stopping' },
  [`POST /v1/campaigns/${campaignId}/retryFailed`]: campaign,
};
beforeEach(() => localStorage.clear());

const open = (path: string, more: Answers = {}) => renderApp(`/${tenantId}/${path}`, { ...answers, ...more });
const click = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }));
const selectAll = async () => {
  await screen.findByRole('link', { name: 'pump-1' });
  fireEvent.click(screen.getByRole('checkbox', { name: /all/i }));
};
const dialog = async (name: string | RegExp) => within(await screen.findByRole('dialog', { name }));
const bodyOf = (calls: Awaited<ReturnType<typeof open>>['calls'], what: string) =>
  calls.findLast((call) => call.path === `/v1/campaigns/${what}`)?.body;

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
    'POST /v1/campaigns/preview': { total: 2_500, offline: 0, disabled: 0, already: 0, unable: 0 },
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
  start.getByText(/^Devices that come to match the filter meanwhile are in maintenance too\./);
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
    'GET /api/generallookup/locations': [{ locationId: idOf(9), name: 'Harbour', tenantId }],
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
  await open('devices', { 'POST /v1/campaigns/start': refused(400, 'The campaign is wrong.') });
  await selectAll();
  click('Restart');
  const question = await dialog('Restart the agents of 2 devices');
  fireEvent.click(question.getByRole('button', { name: 'Restart 2 devices' }));
  await screen.findByText('The campaign is wrong.');
  question.getByRole('button', { name: 'Restart 2 devices' });
});

it('offers no selection to those who may not edit devices', async () => {
  await open('devices', { 'GET /v1/permissions': [permission('Devices', 'view')] });
  await screen.findByRole('link', { name: 'pump-1' });
  expect(within(screen.getByRole('table', { name: 'Devices' })).queryByRole('checkbox')).toBeNull();
});

it('lists campaigns, and opens one with the outcome and the output of each device', async () => {
  const deviceOperationId = '01a1fcdb-e331-70c1-ba47-0000000000f1';
  const run = { operationRunId: 'r1', deviceOperationId, status: 'Success', requestedBy: null, started: '2026-05-01T08:00:00.000Z' };
  const { calls, router } = await open('campaigns', {
    [`GET /v1/deviceOperations(${deviceOperationId})`]: { deviceOperationId, tenantId, deviceId: idOf(1), label: 'Disk', enabled: true },
    'GET /v1/operationRuns': list([{ ...run, exitCode: 0, durationMs: 5, message: null, value: null, output: 'The disk is full.' }]),
  });
  fireEvent.click(await screen.findByRole('link', { name: 'Run Measure' }));
  await waitFor(() => expect(router.state.location.pathname).toBe(`/${tenantId}/campaigns/${campaignId}`));
  await screen.findByRole('link', { name: 'pump-1' });
  const table = within(screen.getByRole('table', { name: 'Run Measure' }));
  expect(table.getAllByText('The disk is gone.')).not.toHaveLength(0);
  const output = table.getByRole('link', { name: 'Output of pump-1' });
  act(() => output.focus());
  fireEvent.click(output);
  await screen.findByText('The disk is full.');
  expect(router.state.location.pathname).toBe(`/${tenantId}/campaigns/${campaignId}`);
  fireEvent.keyDown(document.activeElement as Element, { key: 'Escape' });
  await waitFor(() => expect(screen.queryByText('The disk is full.')).toBeNull());
  expect(document.activeElement).toBe(table.getByRole('link', { name: 'Output of pump-1' }));
  const filters = () => calls.filter((call) => call.path === '/v1/campaignDevices').map((call) => call.query.get('$filter'));
  expect(filters().at(-1)).toContain(`campaignId eq ${campaignId}`);
  click('Failed 1');
  await waitFor(() => expect(filters().at(-1)).toContain("outcome eq 'Failed'"));
});

it('says aloud when another ring begins and when the campaign is over', async () => {
  const rings = [10, 50, 100].map((share) => ({ share, devices: 1 }));
  const expectText = async (more: object, text: string) => {
    await open(`campaigns/${campaignId}`, {
      [`GET /v1/campaigns(${campaignId})`]: { ...campaign, rings, ring: 1, gate: null, pauseMinutes: 0, ...more },
      'GET /v1/campaignDevices': ({ query }: { query: URLSearchParams }) => list(query.has('$apply') ? [] : outcomes),
    });
    await waitFor(() => expect(screen.getAllByRole('status').map((one) => one.textContent)).toContain(text));
  };
  await expectText({}, 'Ring 2 of 3 is at work.');
  await expectText({ state: 'Done', waiting: 0, done: 2 }, 'Done: 3 of 3, 1 failed.');
});

it('keeps that the operation is added where it is missing when a label is chosen or cleared', async () => {
  const operations = [{ operationId: 'o1', name: 'Measure', packageName: 'Checks', devices: 1, labels: ['Disk'], addable: true }];
  const { calls } = await open('devices', { 'POST /v1/campaigns/choices': { operations, packages: [] } });
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
  const { calls } = await open('devices', { 'POST /v1/campaigns/choices': { operations, packages: [] } });
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
  // No device has the operation: unless it is added, nothing could run.
  await choose('o3');
  expect(tick(/^Add it to the 2 devices without it/).checked).toBe(true);
  fireEvent.click(run.getByRole('button', { name: 'Run on 2 devices' }));
  await waitFor(() => expect(bodyOf(calls, 'start')).toMatchObject({ operationId: 'o3', addMissing: true }));
});

it('says why a version cannot be installed, and does not begin', async () => {
  await open('devices', { 'POST /v1/campaigns/preview': refused(400, 'Version 1.1.0 cannot be installed: no publisher has signed it.') });
  await selectAll();
  click('Install');
  const install = await dialog('Install a version on 2 devices');
  fireEvent.change(await install.findByRole('combobox', { name: 'Package' }), { target: { value: 'p1' } });
  await install.findByText('Version 1.1.0 cannot be installed: no publisher has signed it.');
  expect(install.getByRole<HTMLButtonElement>('button', { name: 'Install on 2 devices' }).disabled).toBe(true);
});

it('shows an empty bar for a ring that the campaign has stopped before', async () => {
  const stopped = {
    ...campaign,
    kind: 'InstallVersion',
    state: 'Stopped',
    total: 3,
    waiting: 0,
    done: 0,
    failed: 0,
    returned: 1,
    stopped: 2,
    rings: [{ share: 34, devices: 1 }, { devices: 2 }],
    gate: { minShare: 95, heartbeat: false, ruleIds: [] },
    pauseMinutes: 0,
    ended: '2026-05-01T09:00:00.000Z',
  };
  await open(`campaigns/${campaignId}`, {
    [`GET /v1/campaigns(${campaignId})`]: stopped,
    'GET /v1/campaignDevices': ({ query }: { query: URLSearchParams }) =>
      query.has('$apply')
        ? list([
            { ring: 0, outcome: 'Returned', n: 1 },
            { ring: 1, outcome: 'Stopped', n: 2 },
          ])
        : list([]),
  });
  const rings = within(await screen.findByRole('region', { name: 'Rings' }));
  await waitFor(() => expect(rings.getAllByRole('progressbar').map((bar) => bar.getAttribute('aria-valuenow'))).toEqual(['100', '0']));
  rings.getByText('Not begun');
  rings.getByText('0 of 2');
});

it('stops a campaign after a question, and retries what failed', async () => {
  const { calls } = await open(`campaigns/${campaignId}`);
  fireEvent.click(await screen.findByRole('button', { name: 'Retry failed (1)' }));
  await screen.findByText('The campaign begins again on 1 device.');
  click('Stop');
  await (await dialog('Stop')).findByText(/1 device waits: what was asked of it is taken back/);
  fireEvent.click((await dialog('Stop')).getByRole('button', { name: 'Stop' }));
  await screen.findByText('The campaign stops.');
  expect(calls.filter((call) => call.method === 'POST' && call.path.includes(campaignId)).map((call) => call.path)).toEqual([
    `/v1/campaigns/${campaignId}/retryFailed`,
    `/v1/campaigns/${campaignId}/stop`,
  ]);
});

it('offers rings of 1 %, 10 % and the others with a gate, and sends them', async () => {
  const many = Array.from({ length: 200 }, (_, at) => deviceOf(at + 100, `pump-${at + 1}`));
  const { calls } = await open('devices', {
    'GET /v1/devices': ({ query }: { query: URLSearchParams }) => ({
      '@odata.count': 200,
      value: query.get('$top') === '1000' ? many : many.slice(0, 3),
    }),
    'GET /v1/rules': list([{ ruleId: idOf(5), name: 'Disk is full', tenantId }]),
  });
  await selectAll();
  fireEvent.click(await screen.findByRole('button', { name: 'Select all 200' }));
  await screen.findByText('200 selected');
  click('Install');
  const install = await dialog('Install a version on 200 devices');
  fireEvent.change(await install.findByRole('combobox', { name: 'Package' }), { target: { value: 'p1' } });
  fireEvent.click(install.getByRole('checkbox', { name: 'Roll out in rings' }));
  install.getByText('Last ring: the other 180 devices');
  fireEvent.change(install.getByLabelText('Percent up to ring 2'), { target: { value: '0.5' } });
  const start = install.getByRole<HTMLButtonElement>('button', { name: 'Install on 200 devices' });
  install.getByText('Each share is more than the one before, and less than 100.');
  expect(start.disabled).toBe(true);
  fireEvent.change(install.getByLabelText('Percent up to ring 2'), { target: { value: '25' } });
  click('Add ring');
  // The field starts with a valid share, so that no error shows.
  expect(install.getByLabelText<HTMLInputElement>('Percent up to ring 3').value).toBe('62');
  expect(install.queryByRole('alert')).toBeNull();
  fireEvent.change(install.getByLabelText('Ring 3 is'), { target: { value: 'tag' } });
  fireEvent.change(install.getByLabelText('Tag of ring 3'), { target: { value: 'spare' } });
  fireEvent.mouseDown(install.getByRole('combobox', { name: 'Rules that must not match on the devices' }));
  fireEvent.click(await screen.findByRole('option', { name: 'Disk is full' }));
  install.getByRole('button', { name: 'Remove rule Disk is full' });
  fireEvent.click(start);
  await waitFor(() =>
    expect(bodyOf(calls, 'start')).toMatchObject({
      kind: 'InstallVersion',
      rings: [{ share: 1 }, { share: 25 }, { filter: "contains(tolower(tags),'spare')" }],
      gate: { minShare: 95, heartbeat: true, ruleIds: [idOf(5)] },
      pauseMinutes: 30,
    }),
  );
});

it('shows ring by ring how far it is and why it waits, continues, and returns', async () => {
  const ringed = {
    ...campaign,
    kind: 'InstallVersion',
    title: 'Install Checks 1.1.0',
    returned: 0,
    ring: 0,
    rings: [{ share: 34, devices: 1 }, { devices: 2 }],
    gate: { minShare: 95, heartbeat: true, ruleIds: [] },
    pauseMinutes: 30,
    ringNote: 'Succeeded: 0 of 1, needed: 1.',
    ringPassed: null,
  };
  const { calls } = await open(`campaigns/${campaignId}`, {
    [`GET /v1/campaigns(${campaignId})`]: ringed,
    'GET /v1/campaignDevices': ({ query }: { query: URLSearchParams }) =>
      query.has('$apply')
        ? list([
            { ring: 0, outcome: 'Running', n: 1 },
            { ring: 1, outcome: 'Waiting', n: 2 },
          ])
        : list(outcomes),
    [`POST /v1/campaigns/${campaignId}/continue`]: ringed,
  });
  const rings = within(await screen.findByRole('region', { name: 'Rings' }));
  const [first, second] = rings.getAllByRole('listitem');
  expect(first?.textContent).toContain('Succeeded: 0 of 1, needed: 1.');
  expect([first?.textContent, second?.textContent].map((text) => text?.includes('At work'))).toEqual([true, false]);
  rings.getByText('95 % must succeed, devices must report afterwards, pause of 30 min');
  click('Continue now');
  fireEvent.click((await dialog('Continue now')).getByRole('button', { name: 'Continue now' }));
  await screen.findByText('The next ring begins.');
  click('Stop and return');
  fireEvent.click((await dialog('Stop and return')).getByRole('button', { name: 'Stop and return' }));
  await screen.findByText('The version before comes back.');
  const bodies = calls.filter((call) => call.method === 'POST' && call.path.includes(campaignId)).map((call) => call.body);
  expect(bodies).toEqual([{ ring: 0 }, { andReturn: true }]);
});

it('says until when the ring of a rule is watched, and what it waits for', async () => {
  const until = new Date();
  until.setHours(14, 32, 10);
  await open(`campaigns/${campaignId}`, {
    [`GET /v1/campaigns(${campaignId})`]: {
      ...campaign,
      kind: 'ChangeRule',
      title: 'Change Disk is full',
      ring: 0,
      rings: [{ share: 34, devices: 1 }, { devices: 2 }],
      gate: { minShare: 95, heartbeat: true, ruleIds: [] },
      pauseMinutes: 10_080,
      ringNote: '2 of 40 devices matched so far, limit 4.',
      ringUntil: until.toISOString(),
      ringPassed: null,
    },
    'GET /v1/campaignDevices': list([]),
  });
  await screen.findByText('Watching until 14:32:10 at the latest: 2 of 40 devices matched so far, limit 4.');
  screen.getByText(/, pause of 7 d$/);
});

it('says who skipped a ring, and does not say that it passed', async () => {
  await open(`campaigns/${campaignId}`, {
    [`GET /v1/campaigns(${campaignId})`]: {
      ...campaign,
      kind: 'ChangeRule',
      ring: 2,
      rings: [
        { share: 10, devices: 1 },
        { share: 34, devices: 1, skippedBy: 'mara@northwind.example', skippedAt: new Date().toISOString() },
        { devices: 2 },
      ],
      gate: { minShare: 95, heartbeat: true, ruleIds: [] },
      ringPassed: null,
    },
    'GET /v1/campaignDevices': list([]),
  });
  const rings = within(await screen.findByRole('region', { name: 'Rings' })).getAllByRole('listitem');
  const texts = rings.map((one) => one.textContent);
  expect(texts[0]).toContain('Passed');
  expect(texts[1]).toMatch(/Skipped.*by .*(mara@northwind\.example|Mara).*(now|ago)/);
  expect(texts[1]).not.toContain('Passed');
});

it('says that a campaign does not exist', async () => {
  await open(`campaigns/${campaignId}`, { [`GET /v1/campaigns(${campaignId})`]: refused(404, 'Campaign was not found.') });
  await screen.findByText(/no longer exists|was not found|does not exist/i);
});
