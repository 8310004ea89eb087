import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
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
  const { calls, router } = await open('campaigns');
  fireEvent.click(await screen.findByRole('link', { name: 'Run Measure' }));
  await waitFor(() => expect(router.state.location.pathname).toBe(`/${tenantId}/campaigns/${campaignId}`));
  await screen.findByRole('link', { name: 'pump-1' });
  const table = within(screen.getByRole('table', { name: 'Run Measure' }));
  expect(table.getAllByText('The disk is gone.')).not.toHaveLength(0);
  expect(table.getByRole('link', { name: 'Output of pump-1' }).getAttribute('href')).toBe(
    `/${tenantId}/devices?operations=${idOf(1)}&panel.runs=01a1fcdb-e331-70c1-ba47-0000000000f1`,
  );
  const filters = () => calls.filter((call) => call.path === '/v1/campaignDevices').map((call) => call.query.get('$filter'));
  expect(filters().at(-1)).toContain(`campaignId eq ${campaignId}`);
  click('Failed 1');
  await waitFor(() => expect(filters().at(-1)).toContain("outcome eq 'Failed'"));
});

it('stops a campaign after a question, and retries what failed', async () => {
  const { calls } = await open(`campaigns/${campaignId}`);
  fireEvent.click(await screen.findByRole('button', { name: 'Retry failed (1)' }));
  await screen.findByText('The campaign begins again on 1 device.');
  click('Stop');
  fireEvent.click((await dialog('Stop')).getByRole('button', { name: 'Stop' }));
  await screen.findByText('The campaign stops.');
  expect(calls.filter((call) => call.method === 'POST' && call.path.includes(campaignId)).map((call) => call.path)).toEqual([
    `/v1/campaigns/${campaignId}/retryFailed`,
    `/v1/campaigns/${campaignId}/stop`,
  ]);
});

it('says that a campaign does not exist', async () => {
  await open(`campaigns/${campaignId}`, { [`GET /v1/campaigns(${campaignId})`]: refused(404, 'Campaign was not found.') });
  await screen.findByText(/no longer exists|was not found|does not exist/i);
});
