/** Runs of operations in the panel of a device: what waits, runs, failed and expired, and the history with its output. */
import '../../testing/browser.ts';
import { act, fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { exactTime } from '../../theme/times.ts';
import { list, renderApp, tenantId, type Answers } from '../../testing/render-app.tsx';

const deviceId = '01a1fcdb-e331-70c1-ba47-0000000000d1';
const idOf = (n: number) => `01a1fcdb-e331-70c1-ba47-0000000000a${n}`;
const tokenOf = (n: number) => `01a1fcdb-e331-70c1-ba47-0000000000f${n}`;
const until = '2030-11-23T18:40:00.000Z';
const operation = (n: number, label: string, over: object = {}) => ({
  deviceOperationId: idOf(n),
  tenantId,
  deviceId,
  operationId: idOf(9),
  operation: { operationId: idOf(9), name: 'Check', package: { packageId: idOf(8), name: 'Checks' } },
  label,
  referenceId: null,
  globalSettingId: null,
  enabled: true,
  operationComplete: false,
  completionToken: null,
  queuedUntil: null,
  frequencyTypeId: 1,
  interval: '00:10:00',
  parameters: [],
  isInteractive: false,
  packageName: 'Checks',
  ...over,
});
const run = (n: number, status: string, over: object = {}) => ({
  operationRunId: tokenOf(n),
  deviceOperationId: idOf(n),
  status,
  requestedBy: 'Ada',
  started: '2026-11-22T18:00:00.000Z',
  ended: '2026-11-22T18:00:01.500Z',
  durationMs: 1_500,
  exitCode: 0,
  value: null,
  message: null,
  progress: null,
  output: null,
  ...over,
});
const finished = operation(4, 'Finished', { operationComplete: true });
const rows = [
  operation(1, 'Waiting', { completionToken: tokenOf(1), queuedUntil: until }),
  operation(2, 'Going', { completionToken: tokenOf(2), queuedUntil: until }),
  operation(3, 'Gone'),
  finished,
  operation(6, 'Just done', { completionToken: tokenOf(6), queuedUntil: until }),
];
const answers: Answers = {
  'GET /v1/devices': list([]),
  [`GET /v1/devices(${deviceId})`]: { deviceId, name: 'pump-7', tenantId, operatingSystemId: 4 },
  'GET /v1/deviceOperations': list(rows),
  [`GET /v1/deviceOperations(${idOf(4)})`]: finished,
  // This packet is older than the run of the operation: the packet of the run has not arrived yet.
  'GET /v1/packets': list([{ entityId: idOf(4), timestamp: '2026-11-22T17:00:00.000Z', message: { Value: 1 } }]),
  [`GET /v1/devices/${deviceId}/latestOperationRuns`]: list([
    run(1, 'Queued', { ended: null }),
    run(2, 'Running', { ended: null, progress: 40, message: 'Copied 40 of 100 files' }),
    run(3, 'Expired', { message: 'Expired: the device did not answer' }),
    run(4, 'Critical', { value: '97', message: 'DISK CRITICAL' }),
    run(6, 'Success', { value: '12.5' }),
  ]),
  'GET /v1/operationRuns': list([
    run(4, 'Critical', { value: '97', message: 'DISK CRITICAL', exitCode: 2, output: 'DISK CRITICAL\n| /=97%' }),
    run(5, 'Success', { requestedBy: null, output: 'DISK OK' }),
  ]),
};

beforeEach(() => localStorage.clear());

const rowOf = async (label: string) => within((await screen.findByText(label)).closest('tr') as HTMLElement);

it('shows until when a request waits, how far a run is, that one expired, and the newest result', async () => {
  await renderApp(`/${tenantId}/devices?operations=${deviceId}`, answers);
  const waiting = await rowOf('Waiting');
  expect(await waiting.findByText(`Queued until ${exactTime(until)}`)).toBeTruthy();
  expect(waiting.getByText('(Queued)')).toBeTruthy();
  expect((await rowOf('Going')).getByText('Running 40 %')).toBeTruthy();
  expect((await rowOf('Gone')).getByText('Expired: the device did not answer')).toBeTruthy();
  // The run has ended, although the row of the operation, which was read earlier, still names it as requested.
  const done = await rowOf('Just done');
  expect([done.getByText('12.5').textContent, done.queryByText('(Queued)')]).toEqual(['12.5', null]);
  const last = await rowOf('Finished');
  expect(last.getByText('97').className).toContain('danger');
  expect(last.getByText('DISK CRITICAL')).toBeTruthy();
});

it('shows the history with the output of a run, copies it, and runs again', async () => {
  const written: string[] = [];
  vi.stubGlobal('navigator', Object.assign(navigator, { clipboard: { writeText: async (text: string) => void written.push(text) } }));
  const { calls } = await renderApp(`/${tenantId}/devices?operations=${deviceId}`, {
    ...answers,
    [`POST /v1/deviceOperations/${idOf(4)}/enqueueOnDemand`]: finished,
    'POST /v1/people/names': list([{ userName: 'Ada', name: 'Ada Lovelace' }]),
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Actions for Finished' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Runs' }));
  const panel = within(await screen.findByRole('dialog', { name: 'Runs: Finished' }));
  const output = await panel.findByRole('region', { name: 'Output' });
  expect(panel.getByText('Exit code 2')).toBeTruthy();
  expect(panel.getByText('1.5 s', { selector: 'tr:first-child *' })).toBeTruthy();
  expect(panel.getByText('Interval')).toBeTruthy();
  expect(await panel.findByText('Ada Lovelace')).toBeTruthy();
  expect(panel.getAllByText(/DISK CRITICAL/).length).toBeGreaterThan(1);
  expect(output).toBeTruthy();
  fireEvent.click(panel.getByRole('button', { name: 'Copy output' }));
  await expect.poll(() => written).toEqual(['DISK CRITICAL\n| /=97%']);
  fireEvent.click(panel.getByRole('button', { name: 'Run again' }));
  await expect.poll(() => calls.some((call) => call.method === 'POST' && call.path.endsWith('/enqueueOnDemand'))).toBe(true);
});

it.each([
  ['follows the log of an operation while it runs', 2, 3],
  ['reads the log of an operation once when nothing runs', 4, 0],
])('%s', async (_what, n, more) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const path = `/v1/deviceOperations/${idOf(n)}/logs`;
  const line = { logEntryId: 1, created: '2026-11-22T18:00:00.000Z', entryType: 'Information', detail: 'Copied 1' };
  const { calls } = await renderApp(`/${tenantId}/devices?operations=${deviceId}&panel.logs=${idOf(n)}`, {
    ...answers,
    [`GET /v1/deviceOperations(${idOf(n)})`]: rows.find((row) => row.deviceOperationId === idOf(n)),
    [`GET ${path}`]: { value: [line], '@odata.count': 1 },
  });
  await screen.findByText('Copied 1');
  if (n === 2) await screen.findByText('Running 40 %');
  const reads = () => calls.filter((call) => call.path === path).length;
  for (const expected of Array.from({ length: 3 }, (_, at) => reads() + Math.min(at + 1, more))) {
    await act(() => vi.advanceTimersByTimeAsync(2_000));
    await expect.poll(reads).toBeGreaterThanOrEqual(expected);
  }
  if (more === 0) expect(reads()).toBe(1);
  vi.useRealTimers();
});
