import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { permission } from '@cloudfit/contract/permissions.ts';
import { list, renderApp, subscriptionId, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const deviceId = '01a1fcdb-e331-70c1-ba47-0000000000d1';
const device = {
  deviceId,
  name: 'pump-4',
  tenantId,
  tenant: { tenantId, name: 'Northwind Energy' },
  subscriptionId,
  subscription: { subscriptionId, name: 'Grid operations' },
  locationId: null,
  location: null,
  description: null,
  tags: 'pumps, east',
  deviceTypeId: 2,
  operatingSystemId: 4,
  deviceLoggingLevelId: 0,
  heartbeatInterval: 60,
  enabled: true,
  restartAgentFlag: false,
  traceMinutes: 0,
  traceExpiration: null,
  modified: '2026-05-01T08:00:00.000Z',
};
const minute = 60_000;
const now = Date.now();
const at = (before: number) => new Date(now - before).toISOString();
const packetAt = (before: number) => ({
  entityId: deviceId,
  tenantId,
  timestamp: at(before),
  receivedTimestamp: at(before),
  message: { Metrics: { Cpu: 41, Memory: 70, Uptime: 25_919_971 }, Properties: { AgentVersion: '1.4.0' } },
});
const metric = (name: string) => ({ name, kind: 'number', last: 1, lastAt: at(minute) });
const buckets = [
  [now - 60 * minute, 10, 12, 14, 12, 4],
  [now - 59 * minute, 20, 22, 24, 22, 4],
];
const seriesOf = ({ body }: ApiCall) => {
  const { series } = body as { series: { entityId: string; metric: string }[] };
  return { step: minute, series: series.map((item) => ({ ...item, kind: 'number', buckets, bands: [], gap: 5 * minute })) };
};
const match = {
  ruleMatchId: 'm1',
  ruleId: 'r1',
  tenantId,
  subjectId: deviceId,
  label: 'CPU high on pump-4',
  rule: { ruleId: 'r1', name: 'CPU high' },
  matchCount: 44,
  firstMatch: at(30 * minute),
  lastMatch: at(minute),
  created: at(30 * minute),
  closed: null,
  expires: at(-minute),
  inMaintenance: false,
};
const unit = { workUnitId: 503, publicWorkUnitId: 1503, title: 'CPU over 90 %', severityId: 'Sev1', created: at(20 * minute) };
const maintenance = (reason: string, of: object) => ({
  maintenanceWindowId: reason,
  tenantId,
  reason,
  locationId: null,
  startsAt: at(50 * minute),
  endsAt: at(40 * minute),
  ...of,
});
const answers: Answers = {
  [`GET /v1/devices(${deviceId})`]: device,
  'GET /v1/devices': list([device]),
  'GET /v1/packets': list([packetAt(12_000)]),
  [`GET /v1/packets/${deviceId}/metrics`]: { value: ['Cpu', 'Disk /', 'Disk /var', 'Memory', 'Uptime'].map(metric) },
  'POST /v1/series': seriesOf,
  'GET /v1/ruleMatches': list([match]),
  'GET /v1/workUnits': list([unit]),
  'GET /v1/maintenanceWindows': list([
    maintenance('Clean the pump', { deviceIds: [deviceId] }),
    maintenance('Move the rack', { deviceIds: [], locationId: '01a1fcdb-e331-70c1-ba47-0000000000c1' }),
  ]),
  'GET /v1/deviceOperations': list([]),
  [`GET /v1/devices/${deviceId}/latestOperationRuns`]: { value: [] },
  [`GET /v1/devices/GetPackageInstallsWithVersions(deviceId=${deviceId})`]: { value: [] },
  [`GET /v1/devices/${deviceId}/logs`]: list([{ logEntryId: 1, created: at(minute), entryType: 'Error', detail: 'The disk is full.' }]),
};

beforeEach(() => localStorage.clear());
afterEach(() => vi.restoreAllMocks());

const open = (query = '', more: Answers = {}) => renderApp(`/${tenantId}/devices/${deviceId}${query}`, { ...answers, ...more });
const sentSeries = (calls: readonly ApiCall[]) =>
  calls
    .filter(({ path }) => path === '/v1/series')
    .map(({ body }) => body as { from: string; to: string; format: string; series: { metric: string }[] });

it('shows first how the device is, four charts, what is open and what it logged', async () => {
  const { calls } = await open();
  await screen.findByRole('heading', { name: 'pump-4' });
  await screen.findByText('Reporting');
  expect((await screen.findByLabelText('Status')).textContent).toContain('agent 1.4.0 · up 300 d');
  const regions = ['CPU', 'Memory', 'Disk', 'Uptime'];
  for (const name of regions) await screen.findByRole('region', { name });
  await waitFor(() =>
    expect(new Set(sentSeries(calls).map(({ series }) => series.map((item) => item.metric).join()))).toEqual(
      new Set(['Cpu', 'Memory', 'Disk /,Disk /var', 'Uptime']),
    ),
  );
  const nowCard = within(await screen.findByRole('region', { name: 'Now' }));
  expect((await nowCard.findByRole('link', { name: '#1503' })).getAttribute('href')).toContain('workUnitId=503');
  expect((await nowCard.findByRole('link', { name: 'CPU high' })).getAttribute('href')).toBe(`/${tenantId}/matches/m1`);
  const units = calls.find(({ path }) => path === '/v1/workUnits')?.query.get('$filter');
  expect(units).toContain(`r/referenceId eq '${deviceId}'`);
  await screen.findByText('The disk is full.');
});

it.each([
  ['Silent for 6 min', [packetAt(6 * minute + 5_000)], {}],
  ['Never reported', [], {}],
  ['Cut off', [packetAt(12_000)], { cutOffOn: at(minute) }],
])('says %s in red, never in green', async (text, packets, more) => {
  await open('', { 'GET /v1/packets': list(packets), [`GET /v1/devices(${deviceId})`]: { ...device, ...more } });
  const chip = await within(await screen.findByLabelText('Status')).findByText(text);
  expect(chip.closest('.chip')?.classList.contains('danger')).toBe(true);
  expect(screen.queryByText('Reporting')).toBeNull();
});

it('reads the values of a chart by the keyboard, and shows them as a table with the marks', async () => {
  const { search } = await open();
  const chart = await screen.findByRole('group', { name: /^CPU: CPU is 22 %, between 10 % and 24 %/i });
  chart.focus();
  fireEvent.keyDown(chart, { key: 'Home' });
  await waitFor(() =>
    expect(
      within(chart)
        .getByText(/Cpu 12 %/)
        .getAttribute('aria-live'),
    ).toBe('polite'),
  );
  fireEvent.keyDown(chart, { key: 'End' });
  await waitFor(() =>
    expect(
      within(chart)
        .getByText(/Cpu 22 %/)
        .getAttribute('aria-live'),
    ).toBe('polite'),
  );
  fireEvent.click(screen.getByRole('button', { name: 'Show as table' }));
  await waitFor(() => expect(search().get('as')).toBe('table'));
  const cpu = within(await screen.findByRole('region', { name: 'CPU as a table' }));
  await cpu.findByRole('cell', { name: '24 %' });
  await cpu.findByRole('rowheader', { name: 'Match: CPU high on pump-4' });
  await cpu.findByRole('rowheader', { name: 'Work unit: #1503 CPU over 90 %' });
});

it('tells above the charts what happened, and when', async () => {
  await open();
  const marks = within(await screen.findByRole('list', { name: 'In this time' }));
  const match = marks.getByRole('link', { name: 'CPU high on pump-4' }).closest('li');
  // A maintenance in which nothing matched is a mark too; a maintenance of another location is not shown for this device.
  await marks.findByRole('link', { name: 'Clean the pump' });
  expect(marks.queryByText('Move the rack')).toBeNull();
  expect(match?.textContent).toMatch(/^Match CPU high on pump-4 \d+ (s|min|h|d) ago$/);
});

it('keeps the range in the address, zooms by the keyboard, compares with the week before and exports', async () => {
  const { calls, search } = await open('?range=24h');
  const chart = await screen.findByRole('group', { name: /^CPU/ });
  const [first] = sentSeries(calls);
  expect(Date.parse(first?.to ?? '') - Date.parse(first?.from ?? '')).toBe(24 * 60 * minute);
  fireEvent.click(screen.getByRole('button', { name: 'Compare with last week' }));
  await waitFor(() => expect(search().get('compare')).toBe('week'));
  await waitFor(() => expect(sentSeries(calls).some(({ to }) => Date.parse(to) < now - 6 * 24 * 60 * minute)).toBe(true));
  await within(screen.getByRole('region', { name: 'CPU' })).findByText('Cpu, a week before');
  const blob = vi.fn<() => string>(() => 'blob:x');
  URL.createObjectURL = blob;
  URL.revokeObjectURL = () => undefined;
  fireEvent.click(screen.getByRole('button', { name: 'Download CPU as CSV' }));
  await waitFor(() => expect(sentSeries(calls).at(-1)?.format).toBe('csv'));
  await waitFor(() => expect(blob).toHaveBeenCalled());
  fireEvent.keyDown(chart, { key: '+' });
  await waitFor(() => expect(search().get('from')).not.toBeNull());
  fireEvent.click(await screen.findByRole('button', { name: 'Reset' }));
  await waitFor(() => expect(search().get('from')).toBeNull());
});

it('keeps the page while its tabs change, and opens the settings beside it', async () => {
  const { search } = await open();
  fireEvent.click(await screen.findByRole('tab', { name: 'Logs' }));
  await waitFor(() => expect(search().get('part')).toBe('logs'));
  await screen.findByRole('heading', { name: 'pump-4' });
  fireEvent.click(screen.getByRole('button', { name: 'Edit' }));
  const form = await screen.findByRole('dialog', { name: 'Edit Device: pump-4' });
  within(form).getByLabelText('Description');
  fireEvent.keyDown(document, { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(search().get('part')).toBe('logs');
});

it('finds a packet by its name or value and by a moment, with all that is in it and why', async () => {
  const stored = (n: number, message: object) => ({ ...packetAt(n * minute), packetId: `p${n}`, message });
  const pages = ({ query }: ApiCall) =>
    query.get('after')
      ? { value: [stored(3, { Metrics: { Cpu: 7 } })] }
      : { value: [stored(1, { Metrics: { Cpu: 41 }, States: { Health: 'Degraded' } }), stored(2, { Metrics: { Cpu: 12 } })], next: 'n1' };
  const { calls } = await open('?part=packets', { [`GET /v1/packets/${deviceId}/history`]: pages });
  const rows = async () => within(await screen.findByRole('region', { name: 'Packets' })).findAllByRole('button', { expanded: false });
  expect((await rows()).map((row) => row.textContent?.replace(/^.*\d{4}/, ''))).toEqual(['Cpu 41 %Health Degraded', 'Cpu 12 %']);
  fireEvent.click(screen.getByRole('button', { name: 'Show older packets' }));
  await screen.findByText('7 %');
  fireEvent.change(screen.getByRole('searchbox', { name: 'Filter by name or value' }), { target: { value: 'degraded' } });
  const [only, ...rest] = await rows();
  expect([only?.textContent, rest]).toEqual([expect.stringContaining('Health Degraded'), []]);
  if (only) fireEvent.click(only);
  await screen.findByRole('table', { name: 'States' });
  const why = screen.getAllByRole('link', { name: /^Why\?/ }).map((link) => link.getAttribute('href'));
  expect(why).toContain(`/${tenantId}/why?entity=${deviceId}&at=${encodeURIComponent(at(minute))}`);
  fireEvent.change(screen.getByLabelText('Up to'), { target: { value: '2026-05-01T10:30' } });
  const moment = new Date('2026-05-01T10:30').getTime() + 1;
  await waitFor(() =>
    expect(calls.findLast(({ path }) => path.endsWith('/history'))?.query.get('to')).toBe(new Date(moment).toISOString()),
  );
});

it('opens with the overview beside the list; people who only read are offered no form to edit', async () => {
  const { unmount } = await renderApp(`/${tenantId}/devices?id=${deviceId}`, answers);
  const panel = within(await screen.findByRole('dialog', { name: 'pump-4' }));
  await panel.findByRole('region', { name: 'CPU' });
  expect((await panel.findByRole('link', { name: 'Open page' })).getAttribute('href')).toBe(`/${tenantId}/devices/${deviceId}`);
  expect(panel.queryByRole('button', { name: 'Save' })).toBeNull();
  fireEvent.click(panel.getByRole('tab', { name: 'Settings' }));
  await screen.findByRole('dialog', { name: 'Edit Device: pump-4' });
  unmount();
  const reading = { 'GET /v1/permissions': [permission('Devices', 'view')] };
  await renderApp(`/${tenantId}/devices?id=${deviceId}&tab=form`, { ...answers, ...reading });
  await screen.findByRole('dialog', { name: 'Device: pump-4' });
  expect(screen.queryByText(/Edit Device/)).toBeNull();
});

it('names the device that it depends on, on its page and in its form', async () => {
  const gateway = { ...device, deviceId: '01a1fcdb-e331-70c1-ba47-0000000000d2', name: 'gateway-1' };
  const dependent = { ...device, parentDeviceId: gateway.deviceId };
  const more = {
    [`GET /v1/devices(${deviceId})`]: dependent,
    [`GET /v1/devices(${gateway.deviceId})`]: gateway,
    'GET /v1/devices': list([dependent, gateway]),
    [`POST /v1/devices/${deviceId}`]: device,
  };
  await open('', more);
  const machine = within(await screen.findByRole('region', { name: 'Machine' }));
  expect((await machine.findByRole('link', { name: 'gateway-1' })).getAttribute('href')).toBe(
    `/${tenantId}/devices?id=${gateway.deviceId}`,
  );
  machine.getByText('Depends on');
  await renderApp(`/${tenantId}/devices?id=${deviceId}&tab=form`, { ...answers, ...more });
  const panel = within(await screen.findByRole('dialog', { name: 'Edit Device: pump-4' }));
  const box = panel.getByLabelText<HTMLInputElement>('Depends on');
  await waitFor(() => expect(box.value).toBe('gateway-1'));
});
