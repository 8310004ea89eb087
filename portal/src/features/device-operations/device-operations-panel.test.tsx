import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { list, refused, renderApp, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const deviceId = '01a1fcdb-e331-70c1-ba47-0000000000d1';
const otherId = '01a1fcdb-e331-70c1-ba47-0000000000d2';
const idOf = (n: number) => `01a1fcdb-e331-70c1-ba47-0000000000a${n}`;
const device = { deviceId, name: 'pump-7', tenantId, operatingSystemId: 4 };
const operation = {
  operationId: '01a1fcdb-e331-70c1-ba47-0000000000b1',
  name: 'Disk space',
  description: 'Free space of a mount',
  package: { packageId: 'p1', name: 'System metrics' },
  parameterDefinitions: [
    { Name: 'Path', Description: 'Where to look', Required: true, Source: 1, DefaultValue: '/data' },
    { Name: 'Home', Description: '', Required: false, Source: 2, DefaultValue: '' },
    { Name: 'Token', Description: '', Required: true, Source: 3, DefaultValue: '' },
    { Name: 'Zone', Description: '', Required: false, Source: 4, DefaultValue: '' },
  ],
  frequencyDefinitions: [1, 2],
  defaultInterval: '00:05:00',
  operationResultTypeId: 2,
  totalBeforeFiltering: 1,
};
const disk = {
  deviceOperationId: idOf(1),
  tenantId,
  deviceId,
  operationId: operation.operationId,
  operation,
  label: 'Root disk',
  referenceId: 'REF-1',
  globalSettingId: null,
  enabled: true,
  operationComplete: false,
  completionToken: null,
  frequencyTypeId: 2,
  interval: '00:10:00',
  parameters: [
    { Name: 'Path', Source: 1, Value: '/' },
    { Name: 'Token', Source: 3, Value: [{ PlaceholderKey: '{Token}', LookupKey: 'disk.key' }] },
  ],
  isInteractive: false,
  packageName: 'System metrics',
};
const queued = {
  ...disk,
  deviceOperationId: idOf(2),
  label: 'Speed test',
  referenceId: null,
  frequencyTypeId: 1,
  completionToken: '01a1fcdb-e331-70c1-ba47-0000000000f1',
};
const waiting = { ...queued, deviceOperationId: idOf(3), label: 'Trace route', completionToken: null };
const off = { ...disk, deviceOperationId: idOf(4), label: 'Old disk', enabled: false };
const available = `/v1/operations/GetAvailableOperationsForDevice(tenantId=${tenantId},operatingSystemId=4)`;
const path = (row: { deviceOperationId: string }, rest = '') => `/v1/deviceOperations/${row.deviceOperationId}${rest}`;
const answers: Answers = {
  'GET /v1/devices': list([device]),
  [`GET /v1/devices(${deviceId})`]: device,
  'GET /v1/deviceOperations': ({ query }: ApiCall) =>
    list([...(query.get('$filter')?.includes('enabled') ? [] : [off]), disk, queued, waiting]),
  'GET /v1/packets': list([
    { entityId: disk.deviceOperationId, timestamp: new Date(Date.now() - 3.25 * 3_600_000).toISOString(), message: { Value: 41.5 } },
  ]),
  [`GET ${available}`]: list([operation]),
  [`GET /v1/operations(${operation.operationId})`]: operation,
};
for (const row of [disk, queued, waiting, off]) answers[`GET /v1/deviceOperations(${row.deviceOperationId})`] = row;

beforeEach(() => localStorage.clear());

const open = (more: Answers = {}, query = '') => renderApp(`/${tenantId}/devices?operations=${deviceId}${query}`, { ...answers, ...more });
const dialog = async (name: string | RegExp) => within(await screen.findByRole('dialog', { name }));
const panel = () => dialog('Device Operations: pump-7');
const rowOf = async (label: string) => within((await screen.findByText(label)).closest('tr') as HTMLElement);
const sent = (calls: readonly ApiCall[], method: string, at: string) => calls.filter((call) => call.method === method && call.path === at);
const entries = async (label: string) => {
  fireEvent.click(await screen.findByRole('button', { name: `Actions for ${label}` }));
  await screen.findByRole('menu');
  return screen.getAllByRole('menuitem').map((entry) => entry.textContent);
};
const choose = async (label: string, entry: string) => {
  await entries(label);
  fireEvent.click(screen.getByRole('menuitem', { name: entry }));
};

it('[DEV-012] [DEV-020] opens the operations of a device from its row', async () => {
  const { search } = await renderApp(`/${tenantId}/devices`, answers);
  await choose('pump-7', 'Operations');
  await panel();
  expect(search().get('operations')).toBe(deviceId);
});

it('shows the operations with what they reported', async () => {
  const written: string[] = [];
  vi.stubGlobal('navigator', Object.assign(navigator, { clipboard: { writeText: async (text: string) => void written.push(text) } }));
  const { calls, search } = await open();
  const shown = await panel();
  const first = await rowOf('Root disk');
  const table = within(shown.getByRole('table', { name: 'Device Operations' }));
  await proves('[OPR-001] has these columns', () =>
    expect(table.getAllByRole('columnheader').map((cell) => cell.textContent)).toEqual([
      'Label',
      'Operation',
      'Value',
      'Frequency',
      'Reference Id',
      'Enabled',
      'Age',
      'Actions',
    ]),
  );
  await proves('[OPR-023] a row has the value and the age of the packet', async () => {
    await first.findByText('41.5');
    const cells = first.getAllByRole('cell').map((cell) => cell.textContent);
    expect(cells.slice(0, 7)).toEqual(['Root disk', 'Disk space', '41.5', 'Recurringevery 00:10:00', 'REF-1', 'Yes', '3 h']);
  });
  await proves('[OPR-003] says which run is pending', async () => {
    (await rowOf('Speed test')).getByText('(Queued)');
    expect((await rowOf('Trace route')).queryByText('(Queued)')).toBeNull();
  });
  await proves('[OPR-002] the label copies the id', async () => {
    fireEvent.click(first.getByRole('button', { name: 'Copy the id of Root disk' }));
    await waitFor(() => expect(written).toEqual([disk.deviceOperationId]));
  });

  const { query } = sent(calls, 'GET', '/v1/deviceOperations')[0] as ApiCall;
  expect([query.get('$filter'), query.get('$expand'), query.get('$orderby'), query.get('$count')]).toEqual([
    `deviceId eq ${deviceId} and isDeleted eq false and enabled eq true`,
    'operation($expand=package)',
    'label asc',
    'true',
  ]);
  const ids = [disk, queued, waiting].map((row) => row.deviceOperationId).join(',');
  expect(sent(calls, 'GET', '/v1/packets').map((call) => call.query.get('$filter'))).toContain(`entityId in (${ids})`);
  expect(screen.queryByText('Old disk')).toBeNull();
  await proves('[OPR-010] a checkbox shows the disabled ones', async () => {
    fireEvent.click(shown.getByRole('checkbox', { name: 'Show Disabled Operations' }));
    (await rowOf('Old disk')).getByText('No');
    expect(search().get('panel.disabled')).toBe('show');
  });
  await proves('[GRID-005][OPR-012] the toolbar clones', async () => {
    fireEvent.click(shown.getByRole('button', { name: 'Clone Operations' }));
    await dialog('Clone Device Operations: pump-7');
  });
  await proves('[OPR-011] the toolbar creates', async () => {
    fireEvent.click(shown.getByRole('button', { name: 'Create' }));
    await dialog('Add Operation');
  });
});

it('[LIM-011] [LIM-012] polls the operations and their packets every 10 s', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { calls } = await open();
  await (await rowOf('Root disk')).findByText('41.5');
  const reads = () => sent(calls, 'GET', '/v1/packets').filter((call) => call.query.get('$filter')?.includes(disk.deviceOperationId));
  const readCounts = () => [sent(calls, 'GET', '/v1/deviceOperations').length, reads().length];
  const [rows = 0, packets = 0] = readCounts();
  vi.advanceTimersByTime(9_999);
  expect(readCounts()).toEqual([rows, packets]);
  vi.advanceTimersByTime(1);
  await expect.poll(readCounts).toEqual([rows + 1, packets + 1]);
  vi.useRealTimers();
});

it('offers what can be done with an operation', async () => {
  await open({
    [`GET ${path(disk, '/logs')}`]: list([
      { logEntryId: 1, created: new Date().toISOString(), entryType: 'Error', detail: 'No such mount.' },
    ]),
  });
  await proves('[OPR-004] configures', async () => (await rowOf('Root disk')).getByTitle('Configure'));
  const common = ['Runs', 'Operation Logs', 'Packets', 'Disable Operation', 'Delete Operation'];
  const offered = await entries('Root disk');
  await proves('[OPR-006] disables', () => expect(offered).toContain('Disable Operation'));
  await proves('[OPR-007] deletes', () => expect(offered).toContain('Delete Operation'));
  await proves('[OPR-009] a recurring one is not queued', () => expect(offered).toEqual(common));
  await proves('[OPR-005][OPR-017] opens the logs', async () => {
    fireEvent.click(screen.getByRole('menuitem', { name: 'Operation Logs' }));
    await (await dialog('Operation Logs: Root disk')).findByText('No such mount.');
  });
  await proves('[OPR-008] opens the packets', async () => {
    await choose('Root disk', 'Packets');
    await (await dialog('Packets: Root disk')).findAllByText('41.5');
  });
  await proves('[OPR-034] a queued one is dequeued', async () => expect(await entries('Speed test')).toEqual(['Dequeue', ...common]));
  fireEvent.keyDown(screen.getByRole('menu'), { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
  await proves('[OPR-033] one that is not queued is enqueued', async () =>
    expect(await entries('Trace route')).toEqual(['Enqueue', ...common]),
  );
});

it('disables, queues and deletes; a refusal is told in the words of the server', async () => {
  let refuses = true;
  const answer = (row: object) => () => (refuses ? refused(409, 'The device is being moved.')() : Response.json(row));
  const { calls } = await open({
    [`POST ${path(disk)}`]: answer({ ...disk, enabled: false }),
    [`POST ${path(waiting, '/enqueueOnDemand')}`]: answer(queued),
    [`POST ${path(queued, '/dequeueOnDemand')}`]: answer(waiting),
    [`DELETE ${path(disk)}`]: () => new Response(null, { status: 204 }),
  });
  for (const [label, entry, refusal, success, done] of [
    ['Root disk', 'Disable Operation', '[ERR-025] is refused', '[OPR-058] is done', 'Device Operation disabled successfully.'],
    ['Trace route', 'Enqueue', '[ERR-026] is refused', '[OPR-059] is done', 'On Demand Device Operation enqueued successfully.'],
    ['Speed test', 'Dequeue', '[ERR-027] is refused', '[OPR-060] is done', 'On Demand Device Operation dequeued successfully.'],
  ] as const) {
    refuses = true;
    await choose(label, entry);
    await proves(refusal, async () => {
      const message = await screen.findByText('The device is being moved.');
      expect(message.closest('.toast.error')).not.toBeNull();
      fireEvent.click(within(message.closest('.toast') as HTMLElement).getByRole('button', { name: 'Close' }));
    });
    refuses = false;
    await choose(label, entry);
    await proves(success, () => screen.findByText(done));
  }
  expect(sent(calls, 'POST', path(disk)).at(-1)?.body).toEqual({ enabled: false });

  await choose('Root disk', 'Delete Operation');
  const question = await dialog('Delete Operation');
  await proves('[OPR-055] asks before it deletes', () =>
    question.getByText('Are you sure you want to delete this device operation? Cannot be undone.'),
  );
  expect(sent(calls, 'DELETE', path(disk))).toEqual([]);
  fireEvent.click(question.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(sent(calls, 'DELETE', path(disk))).toHaveLength(1));
});

it('makes an operation of one that the packages offer', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { calls, search } = await open({
    'PUT /v1/deviceOperations': ({ body }: ApiCall) => Response.json({ ...off, ...(body as object) }),
  });
  fireEvent.click(await (await panel()).findByRole('button', { name: 'Create' }));
  const adding = await dialog('Add Operation');
  await proves('[OPR-013] offers them in a panel', () => adding.findByText('System metrics'));
  await proves('[LIM-013] asks for them every 30 s', async () => {
    vi.advanceTimersByTime(29_999);
    expect(sent(calls, 'GET', available)).toHaveLength(1);
    vi.advanceTimersByTime(1);
    await expect.poll(() => sent(calls, 'GET', available)).toHaveLength(2);
  });
  vi.useRealTimers();
  await proves('[OPR-015] a row is added', () => fireEvent.click(adding.getByText('Add Operation', { selector: 'button' })));

  const form = await dialog('Create Device Operation');
  const label = form.getByLabelText<HTMLInputElement>(/^Label/);
  const interval = form.getByLabelText<HTMLInputElement>(/^Interval/);
  const frequency = form.getByLabelText<HTMLSelectElement>(/^Frequency/);
  const mode = form.getByLabelText<HTMLSelectElement>(/^Run Mode/);
  await proves('[OPR-016] the form begins with what the operation says', () =>
    expect([label.value, interval.value, form.getByLabelText<HTMLInputElement>(/^Path/).value]).toEqual([
      'Disk space',
      '00:05:00',
      '/data',
    ]),
  );
  const options = (select: HTMLSelectElement) =>
    [...select.options].filter((option) => option.value).map((option) => [option.value, option.text]);
  await proves('[OPR-048] offers the frequencies of the operation', () =>
    expect(options(frequency)).toEqual([
      ['1', 'OnDemand'],
      ['2', 'Recurring'],
    ]),
  );
  await proves('[OPR-031] offers the run modes', () =>
    expect(options(mode)).toEqual([
      ['1', 'System'],
      ['2', 'Interactive'],
    ]),
  );
  expect(form.getByRole<HTMLInputElement>('switch', { name: 'Enabled' }).checked).toBe(false);

  fireEvent.change(label, { target: { value: '' } });
  fireEvent.change(interval, { target: { value: '' } });
  fireEvent.change(form.getByLabelText(/^Path/), { target: { value: ' ' } });
  fireEvent.click(form.getByRole('button', { name: 'Add secured value to Token' }));
  fireEvent.click(form.getByRole('button', { name: 'Create' }));
  await form.findByText('Path is required.');
  for (const [requirement, text] of [
    ['[OPR-041] asks for a label', 'Label is required.'],
    ['[OPR-043] asks for an interval', 'Interval is required'],
    ['[OPR-047] asks for a frequency', 'Frequency is required.'],
    ['[OPR-050] asks for a placeholder', 'Placeholder is required.'],
    ['[OPR-051] asks for a lookup key', 'Lookup key is required.'],
  ] as const)
    await proves(requirement, () => form.findByText(text));
  await proves('[OPR-044] takes hours, minutes and seconds', async () => {
    fireEvent.change(interval, { target: { value: '5 min' } });
    await form.findByText('Please enter a duration as hh:mm:ss.');
  });
  await proves('[OPR-045] takes 30 seconds and more', async () => {
    fireEvent.change(interval, { target: { value: '00:00:29' } });
    await form.findByText('Must be at least 30 seconds.');
  });
  fireEvent.change(interval, { target: { value: '00:00:30' } });
  fireEvent.change(label, { target: { value: 'Data disk' } });
  fireEvent.change(frequency, { target: { value: '2' } });
  fireEvent.change(mode, { target: { value: '2' } });
  fireEvent.change(form.getByLabelText(/^Path/), { target: { value: '/data' } });
  fireEvent.change(form.getByLabelText('Zone'), { target: { value: 'region' } });
  fireEvent.change(form.getByLabelText(/^Placeholder/), { target: { value: '{Token}' } });
  fireEvent.change(form.getByLabelText(/^Lookup key/), { target: { value: 'disk.key' } });
  fireEvent.blur(form.getByLabelText(/^Lookup key/));
  fireEvent.click(form.getByRole('button', { name: 'Create' }));
  await proves('[OPR-057] says that it is created', () => screen.findByText('Device Operation created successfully.'));
  expect(sent(calls, 'PUT', '/v1/deviceOperations').map((call) => call.body)).toEqual([
    {
      deviceId,
      operationId: operation.operationId,
      label: 'Data disk',
      referenceId: null,
      frequencyTypeId: 2,
      interval: '00:00:30',
      isInteractive: true,
      enabled: false,
      parameters: [
        { Name: 'Path', Source: 1, Value: '/data' },
        { Name: 'Token', Source: 3, Value: [{ PlaceholderKey: '{Token}', LookupKey: 'disk.key' }] },
        { Name: 'Zone', Source: 4, Value: 'region' },
      ],
    },
  ]);
  expect([...search()].filter(([name]) => name.startsWith('panel.'))).toEqual([['panel.disabled', 'show']]);
});

it('configures an operation; a refusal keeps what was typed', async () => {
  let refuses = true;
  const { calls } = await open({
    [`POST ${path(disk)}`]: () =>
      refuses ? refused(400, 'Path is taken.', [{ target: 'parameters', message: 'Path is taken.' }])() : Response.json(disk),
  });
  fireEvent.click((await rowOf('Root disk')).getByTitle('Configure'));
  const form = await dialog('Edit Device Operation: Root disk');
  const fields = form.getByRole('region', { name: 'Parameters' });
  await proves('[OPR-027] names the source of each parameter', () =>
    expect(
      within(fields)
        .getAllByText(/^(PortalEntry|EnvironmentVariable|SecuredValue|RuntimeConfig)$/)
        .map((element) => element.textContent),
    ).toEqual(['PortalEntry', 'EnvironmentVariable', 'SecuredValue', 'RuntimeConfig']),
  );
  expect(form.getByLabelText<HTMLInputElement>(/^Placeholder/).value).toBe('{Token}');
  const typed = form.getByLabelText<HTMLTextAreaElement>(/^Path/);
  fireEvent.change(typed, { target: { value: '/srv\n/var' } });
  fireEvent.click(form.getByRole('button', { name: 'Save' }));
  await proves('[ERR-024] says why the server refuses', () =>
    waitFor(() => expect(screen.getAllByText('Path is taken.').some((element) => element.closest('.toast.error'))).toBe(true)),
  );
  within(fields).getByText('Path is taken.');
  expect(typed.value).toBe('/srv\n/var');

  refuses = false;
  fireEvent.click(form.getByRole('button', { name: 'Save' }));
  await proves('[OPR-056] says that it is saved', () => screen.findByText('Device Operation updated successfully.'));
  await proves('[OPR-016] saves what the form has', () =>
    expect(sent(calls, 'POST', path(disk)).at(-1)?.body).toEqual({
      parameters: [
        { Name: 'Path', Source: 1, Value: '/srv\n/var' },
        { Name: 'Token', Source: 3, Value: [{ PlaceholderKey: '{Token}', LookupKey: 'disk.key' }] },
      ],
    }),
  );
  await waitFor(() => expect(screen.queryByRole('dialog', { name: /^Edit Device Operation/ })).toBeNull());
});

it('clones operations to another device', async () => {
  const clonePath = '/v1/deviceOperations/clone';
  let refuses = true;
  const { calls } = await open(
    {
      'GET /v1/devices': ({ query }: ApiCall) =>
        list([...(query.get('$filter')?.includes('deviceId ne') ? [] : [device]), { deviceId: otherId, name: 'pump-8' }]),
      [`POST ${clonePath}`]: () =>
        refuses
          ? refused(400, 'Root disk: No.', [{ target: 'deviceOperationIdsToClone', message: 'Root disk: No.' }])()
          : Response.json({ message: 'Device Operations Cloned Successfully.', value: [] }),
    },
    '&panel.clone=open',
  );
  const form = await dialog('Clone Device Operations: pump-7');
  await proves('[OPR-018] a panel shows what can be cloned', () => form.findByText('Old disk'));
  fireEvent.click(form.getByRole('button', { name: 'Clone' }));
  await proves('[OPR-052] asks for a target', () => form.findByText('A target device is required.'));
  await proves('[OPR-053] asks for an operation', () => form.getByText('At least one operation is required.'));
  fireEvent.mouseDown(form.getByRole('combobox', { name: /^Target device/ }));
  const target = await screen.findByRole('option', { name: 'pump-8' });
  await proves('[OPR-054] the source is no target', () => expect(screen.queryByRole('option', { name: 'pump-7' })).toBeNull());
  fireEvent.click(target);
  for (const label of ['Root disk', 'Old disk']) fireEvent.click(form.getByRole('checkbox', { name: `Select ${label}` }));
  fireEvent.click(form.getByRole('button', { name: 'Clone' }));
  await proves('[ERR-028] shows why it was refused', () => waitFor(() => expect(screen.getAllByText('Root disk: No.')).toHaveLength(2)));
  refuses = false;
  fireEvent.click(form.getByRole('button', { name: 'Clone' }));
  await proves('[OPR-061] says that they are cloned', () => screen.findByText('Device Operations Cloned Successfully.'));
  const body = sent(calls, 'POST', clonePath).at(-1)?.body as Record<string, string>;
  expect([body['fromDeviceId'], body['toDeviceId']]).toEqual([deviceId, otherId]);
  expect(body['deviceOperationIdsToClone']?.split(',').toSorted()).toEqual([disk.deviceOperationId, off.deviceOperationId]);
});

it('reads the packets of many operations in calls whose address is not too long', async () => {
  const many = Array.from({ length: 130 }, (_, at) => ({
    ...disk,
    deviceOperationId: `01a1fcdb-e331-70c1-ba47-000000001${String(at).padStart(3, '0')}`,
    label: `Disk ${at}`,
  }));
  const { calls } = await open({ 'GET /v1/deviceOperations': list(many) });
  await screen.findByText('Disk 129');
  const sizes = () =>
    sent(calls, 'GET', '/v1/packets').flatMap((call) =>
      call.query.get('$filter')?.includes('-000000001') ? [Number(call.query.get('$top'))] : [],
    );
  await waitFor(() => expect(sizes()).toEqual([100, 30]));
});

it('says why there is nothing: no operations, no right, no device', async () => {
  await open({ 'GET /v1/deviceOperations': list([]) });
  await screen.findByText('No enabled operations');
  fireEvent.click(screen.getByRole('checkbox', { name: 'Show Disabled Operations' }));
  await screen.findByText('No operations yet');

  const rights = ['CloudFit.CFS.Devices:view', 'CloudFit.CFS.Devices:create'];
  const { calls } = await open({ 'GET /v1/permissions': rights });
  const shown = await panel();
  await shown.findByText('Root disk');
  expect(sent(calls, 'GET', '/v1/deviceOperations')[0]?.query.has('$expand')).toBe(false);
  expect(sent(calls, 'GET', '/v1/packets').filter((call) => call.query.get('$filter')?.includes(disk.deviceOperationId))).toEqual([]);
  expect(await entries('Root disk')).toEqual(['Runs', 'Operation Logs']);
  fireEvent.click(shown.getByRole('button', { name: 'Create', hidden: true }));
  await screen.findByText('Operations belong to packages, which you may not view.');

  await open({ [`GET /v1/devices(${deviceId})`]: refused(404, 'x'), 'GET /v1/deviceOperations': refused(404, 'x') });
  await screen.findByText(/^The device was not found/);
});

it('says Up or Down with the unit of the value, and why a target is down', async () => {
  const check = (n: number, label: string) => ({ ...disk, deviceOperationId: idOf(n), label });
  const [up, down, plain] = [check(21, 'Web site'), check(22, 'Mail port'), check(23, 'Jobs')];
  const timestamp = new Date().toISOString();
  const run = {
    operationRunId: idOf(31),
    deviceOperationId: down.deviceOperationId,
    status: 'Success',
    started: timestamp,
    ended: timestamp,
  };
  await open({
    'GET /v1/deviceOperations': list([up, down, plain]),
    'GET /v1/packets': list([
      { entityId: up.deviceOperationId, timestamp, message: { Value: 72.6, Metrics: { Up: 1, TotalMs: 72.6 } } },
      { entityId: down.deviceOperationId, timestamp, message: { Value: null, Metrics: { Up: 0 } } },
      { entityId: plain.deviceOperationId, timestamp, message: { Value: 4, Metrics: { Jobs: 4 } } },
    ]),
    [`GET /v1/devices/${deviceId}/latestOperationRuns`]: list([
      { ...run, value: null, message: 'The connection was refused', progress: null },
    ]),
  });
  const cell = async (label: string) => (await rowOf(label)).getAllByRole('cell')[2] as HTMLElement;
  await (await rowOf('Mail port')).findByText('The connection was refused');
  expect((await cell('Web site')).textContent).toBe('Up72.6 ms');
  expect((await cell('Mail port')).querySelector('.chip.danger')?.textContent).toBe('Down');
  expect((await cell('Jobs')).textContent).toBe('4');
});
