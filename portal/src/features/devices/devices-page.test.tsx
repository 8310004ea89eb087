import '../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { list, refused, renderApp, tenantId } from '../../testing/render-app.tsx';
import {
  deviceOf,
  pump,
  gateway,
  wrong,
  meter,
  id,
  now,
  packet,
  installsPath,
  tracePath,
  restartPath,
  logsPath,
  answers,
  open,
  dialog,
  sent,
  menuOf,
  choose,
} from './devices-page.fixtures.ts';

beforeEach(() => localStorage.clear());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('the server pages, sorts, filters and searches; a link leads to pending devices', async () => {
  const { calls, search } = await open('?f.enabled=true');
  await screen.findByRole('link', { name: 'pump-4' });
  const last = () => sent(calls, 'GET', '/v1/devices').at(-1)?.query;
  await proves('[DEV-005] sorts by name at first', () => expect(last()?.get('$orderby')).toBe('name asc'));
  await proves('[DEV-004] begins with 10 rows', () =>
    expect(['$top', '$skip', '$count'].map((name) => last()?.get(name))).toEqual(['10', null, 'true']),
  );
  const size = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Rows per page' });
  await proves('[DEV-003] offers these numbers of rows', () =>
    expect([...size.options].map((option) => option.value)).toEqual(['10', '25', '50', '100']),
  );
  await proves('[DEV-002] the server filters, pages and sorts', async () => {
    expect(last()?.get('$filter')).toContain('enabled eq true');
    fireEvent.click(screen.getByRole('button', { name: 'Next page' }));
    await waitFor(() => expect(last()?.get('$skip')).toBe('10'));
    fireEvent.change(size, { target: { value: '50' } });
    await waitFor(() => expect(last()?.get('$top')).toBe('50'));
    fireEvent.click(screen.getByRole('button', { name: /^Name/ }));
    await waitFor(() => expect(last()?.get('$orderby')).toBe('name desc'));
  });
  await proves('[DEV-006] searches names', async () => {
    fireEvent.change(screen.getByRole('searchbox', { name: /devices/ }), { target: { value: 'Pump' } });
    fireEvent.submit(screen.getByRole('search'));
    await waitFor(() => expect(last()?.get('$filter')).toContain("contains(folded(name),'pump')"));
    expect(search().get('search')).toBe('Pump');
  });
  await proves('[DEV-023][DEV-024] a link leads to pending devices', () =>
    expect(screen.getByRole('link', { name: 'Promote Pending Devices' }).getAttribute('href')).toBe(`/${tenantId}/pendingdevices`),
  );
});

it('a row offers what can be done; no restart while one is flagged', async () => {
  const { search, unmount } = await open();
  const row = within((await screen.findByRole('link', { name: 'pump-4' })).closest('tr') as HTMLElement);
  await proves('[DEV-008] edits', () => row.getByRole('button', { name: 'Edit Device pump-4' }));
  const menu = await menuOf('pump-4');
  for (const [requirement, name] of [
    ['[DEV-009] restarts', 'Restart Agent'],
    ['[DEV-011] traces', 'Toggle Tracing'],
    ['[DEV-013] installs', 'Installations'],
    ['[DEV-014] deletes', 'Delete Device'],
    ['[DEV-015] shows logs', 'Logs'],
    ['[DEV-016] shows packets', 'Packets'],
  ] as const)
    await proves(requirement, () => menu.getByRole('menuitem', { name }));
  expect(menu.getAllByRole('menuitem').map((item) => item.textContent)).toEqual([
    'Restart Agent',
    'Toggle Tracing',
    'Operations',
    'Installations',
    'Logs',
    'Packets',
    'Why?',
    'Replace key',
    'Cut off',
    'Retire and uninstall',
    'History of this',
    'Delete Device',
  ]);
  expect(menu.getByRole('menuitem', { name: 'Restart Agent' }).getAttribute('aria-disabled')).not.toBe('true');
  fireEvent.click(menu.getByRole('menuitem', { name: 'Operations' }));
  expect(search().get('operations')).toBe(id);

  const rowOf = (name: string) => screen.getByRole('link', { name }).closest('tr')?.textContent;
  expect(rowOf('gateway-1')).toContain('Restart queued');
  expect(rowOf('meter-2')).toContain('Tracing');
  await proves('[DEV-010] not while a restart is flagged', async () =>
    expect((await menuOf('gateway-1')).getByRole('menuitem', { name: 'Restart Agent' }).getAttribute('aria-disabled')).toBe('true'),
  );
  unmount();

  await open('', { 'GET /v1/permissions': [permission('Devices', 'view')] });
  const reading = await menuOf('pump-4');
  expect(reading.getAllByRole('menuitem').map((item) => item.textContent)).toEqual(['Operations', 'Installations', 'Logs']);
  expect(screen.queryByRole('button', { name: 'Edit Device pump-4' })).toBeNull();
  expect(screen.queryByRole('link', { name: 'Promote Pending Devices' })).toBeNull();
});

it('restarts the agent of a device once that is confirmed, or says that it could not', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  let works = true;
  const { calls } = await open('', { [`POST ${restartPath}`]: () => (works ? Response.json(pump) : refused(500, 'x')()) });
  await choose('pump-4', 'Restart Agent');
  const question = await dialog('Restart Agent');
  await proves('[DEV-041] asks', () => question.getByText(/Restart the agent of pump-4\?/));
  fireEvent.click(question.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Restart Agent' })).toBeNull());
  expect(sent(calls, 'POST', restartPath)).toEqual([]);
  await choose('pump-4', 'Restart Agent');
  fireEvent.click((await dialog('Restart Agent')).getByRole('button', { name: 'Restart' }));
  await proves('[DEV-043] says that it is queued', () => screen.findByText('Restart queued for pump-4'));
  expect(sent(calls, 'POST', restartPath).map(({ body }) => body)).toEqual([{ tenantId }]);
  works = false;
  await choose('pump-4', 'Restart Agent');
  fireEvent.click((await dialog('Restart Agent')).getByRole('button', { name: 'Restart' }));
  await proves('[ERR-030] says that it could not', () => screen.findByText('An error occurred trying to send restart signal to device.'));
});

it('shows the health of each device in words, and the CPU of all rows by one call', async () => {
  const { calls } = await open('', { 'GET /v1/packets': list([{ ...packet, timestamp: new Date(Date.now() - 900_000).toISOString() }]) });
  const rowOf = async (name: string) => within((await screen.findByRole('link', { name })).closest('tr') as HTMLElement);
  // The text is in its column, and in the second line that a phone shows.
  const silent = await (await rowOf('pump-4')).findAllByText('Silent for 15 min');
  expect(silent.map((text) => text.closest('.chip')?.classList.contains('danger'))).toEqual([true, true]);
  await (await rowOf('gateway-1')).findAllByText('Never reported');
  expect(screen.queryByText('Reporting')).toBeNull();
  await screen.findByRole('img', { name: 'CPU % pump-4, last hours: between 10 % and 44 %, now 41 %' });
  const lines = sent(calls, 'POST', '/v1/series').map(({ body }) => (body as { series: { entityId: string }[] }).series);
  expect(lines).toHaveLength(1);
  expect(lines[0]?.map(({ entityId }) => entityId)).toEqual([gateway, meter, pump].map(({ deviceId }) => deviceId));
});

it('[DEV-040] [DEV-042] deletes a device once that is confirmed', async () => {
  const { calls } = await open();
  await choose('pump-4', 'Delete Device');
  const question = await dialog('Delete Device');
  question.getByText(/^Delete pump-4\?/);
  expect(sent(calls, 'DELETE', `/v1/devices/${id}`)).toEqual([]);
  fireEvent.click(question.getByRole('button', { name: 'Delete' }));
  await screen.findByText('Successfully deleted pump-4');
  expect(sent(calls, 'DELETE', `/v1/devices/${id}`)).toHaveLength(1);
});

it('[DEV-017] [ERR-018] edits a device; a save that fails says so and keeps what was typed', async () => {
  let works = false;
  const { calls, search } = await open('', { [`POST /v1/devices/${id}`]: () => (works ? Response.json(pump) : refused(500, 'x')()) });
  fireEvent.click(await screen.findByRole('button', { name: 'Edit Device pump-4' }));
  const panel = await dialog('Edit Device: pump-4');
  const description = panel.getByLabelText<HTMLTextAreaElement>('Description');
  fireEvent.change(description, { target: { value: 'On the roof' } });
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await screen.findByText('A problem occurred saving the device. Please try again.');
  expect(description.value).toBe('On the roof');
  works = true;
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(search().get('id')).toBeNull());
  expect(sent(calls, 'POST', `/v1/devices/${id}`).at(-1)?.body).toEqual({ description: 'On the roof' });
});

it('traces a device for a time that is chosen', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  let works = false;
  const { calls, search } = await open('', { [`POST ${tracePath}`]: () => (works ? Response.json(pump) : refused(500, 'x')()) });
  await choose('pump-4', 'Toggle Tracing');
  const panel = await dialog('Tracing: pump-4');
  await proves('[DEV-018] a panel says the state', () => panel.getByText('Tracing is off.'));
  const minutes = panel.getByLabelText<HTMLSelectElement>('Trace for');
  await proves('[DEV-039] offers these times', () =>
    expect([...minutes.options].map(({ value, text }) => [Number(value), text])).toEqual([
      [-1, 'No Change'],
      [0, 'Disabled'],
      [10, '10 min'],
      [30, '30 min'],
      [60, '1 hour'],
      [240, '4 hours'],
      [480, '8 hours'],
      [1440, '24 hours'],
    ]),
  );
  expect(minutes.value).toBe('-1');
  fireEvent.change(minutes, { target: { value: '60' } });
  fireEvent.click(panel.getByRole('button', { name: 'Cancel' }));
  fireEvent.click(await screen.findByRole('button', { name: 'No' }));
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await proves('[ERR-019] says what failed', () => screen.findByText('A problem occurred saving the device tracing. Please try again.'));
  expect(minutes.value).toBe('60');
  works = true;
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(search().get('tracing')).toBeNull());
  expect(sent(calls, 'POST', tracePath)).toHaveLength(2);
});

it('shows the logs of a device, and reads them again every 30 s when that is chosen', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { calls, search } = await open();
  await choose('pump-4', 'Logs');
  const panel = await dialog('Logs: pump-4');
  await proves('[DEV-021] a panel shows them', () => panel.findByText('The disk is nearly full.'));
  const row = within(panel.getByText('The disk is nearly full.').closest('tr') as HTMLElement);
  row.getByText('Disk space:');
  row.getAllByText('Warning');
  const count = () => sent(calls, 'GET', logsPath).length;
  const read = count();
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(count()).toBe(read);
  await proves('[DEV-022] refreshing is chosen', () => fireEvent.click(panel.getByLabelText('Auto-refresh')));
  await proves('[LIM-014] reads them again every 30 s', async () => {
    await act(() => vi.advanceTimersByTimeAsync(29_900));
    expect(count()).toBe(read);
    await act(() => vi.advanceTimersByTimeAsync(100));
    await expect.poll(count).toBe(read + 1);
  });
  fireEvent.change(panel.getByLabelText('Types of entries'), { target: { value: 'Error' } });
  await waitFor(() => expect(sent(calls, 'GET', logsPath).at(-1)?.query.get('$filter')).toBe("entryType eq 'Error'"));
  fireEvent.click(panel.getByRole('button', { name: 'Close' }));
  expect([search().get('logs'), search().get('panel.type')]).toEqual([null, null]);
});

it('[LIM-009] [LIM-010] devices and their packets are polled every 30 s', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { calls } = await open(`?packets=${id}`);
  const panel = await dialog('Packets: pump-4');
  await panel.findByText('41.26');
  panel.getByText('1.0.0');
  await screen.findByRole('link', { name: 'pump-4' });
  const counts = () => [sent(calls, 'GET', '/v1/devices').length, sent(calls, 'GET', '/v1/packets').length];
  await expect.poll(() => counts()[1]).toBeGreaterThanOrEqual(2);
  const [devices = 0, packets = 0] = counts();
  await act(() => vi.advanceTimersByTimeAsync(29_800));
  expect(counts()).toEqual([devices, packets]);
  await act(() => vi.advanceTimersByTimeAsync(300));
  // The list reads the packets of its rows in one call, and the panel reads the packet of its device in another call.
  // Different calls are counted, because one of them has come twice on a busy machine.
  const polled = () =>
    new Set(
      sent(calls, 'GET', '/v1/packets')
        .slice(packets)
        .map(({ query }) => query.toString()),
    ).size;
  await expect.poll(() => [counts()[0], polled()]).toEqual([devices + 1, 2]);
});

it('polls no list while the panel of one of its rows is open', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { calls } = await open();
  fireEvent.click(await screen.findByRole('button', { name: 'Edit Device pump-4' }));
  await dialog('Edit Device: pump-4');
  const lists = () => sent(calls, 'GET', '/v1/devices').length;
  await expect.poll(lists).toBeGreaterThan(0);
  const before = lists();
  await act(() => vi.advanceTimersByTimeAsync(61_000));
  expect(lists()).toBe(before);
});

it('a panel says that its device is gone, what could not be read, and what one may not change', async () => {
  const deletedId = '01a1fcdb-e331-70c1-ba47-0000000000d9';
  const { unmount } = await open(`?logs=${deletedId}`, { [`GET /v1/devices(${deletedId})`]: refused(404, 'Device was not found.') });
  await (await dialog('Device')).findByText(/not found/);
  unmount();
  const failing = await open(`?installations=${id}`, { [`GET ${installsPath}`]: refused(500, 'Not now.') });
  const panel = await dialog('Installations: pump-4');
  await panel.findByText('The installations could not be loaded.');
  panel.getByRole('button', { name: 'Try again' });
  failing.unmount();
  await open(`?tracing=${id}`, { 'GET /v1/permissions': [permission('Devices', 'view')] });
  const reading = await dialog('Tracing: pump-4');
  expect(reading.getByLabelText<HTMLSelectElement>('Trace for').disabled).toBe(true);
  expect(reading.queryByRole('button', { name: 'Save' })).toBeNull();
});

it('shows in the list and in the panel that the clock of a machine is off', async () => {
  const rows = { 'GET /v1/devices': { '@odata.count': 1, value: [wrong] }, [`GET /v1/devices(${wrong.deviceId})`]: wrong };
  await renderApp(`/${tenantId}/devices?id=${wrong.deviceId}`, { ...answers, ...rows });
  expect((await screen.findAllByText('Clock 11 min behind')).length).toBeGreaterThan(0);
  expect(await screen.findByText(/^Clock 11 min behind\. The clock of this machine differs from the server's/)).toBeTruthy();
});

it('is cut off after a question that says what happens, marked, and admitted again', async () => {
  const off = deviceOf(5, 'relay-5', { cutOffOn: now });
  const copied = deviceOf(6, 'relay-6', { otherMachineOn: now });
  const { calls } = await open('', {
    'GET /v1/devices': list([pump, off, copied]),
    [`POST /v1/devices/${id}/cutOff`]: pump,
    [`POST /v1/devices/${off.deviceId}/admit`]: off,
  });
  await choose('pump-4', 'Cut off');
  const question = await dialog('Cut off');
  question.getByText(/^Cut off pump-4\? Its agent is refused at once/);
  expect(sent(calls, 'POST', `/v1/devices/${id}/cutOff`)).toEqual([]);
  fireEvent.click(question.getByRole('button', { name: 'Cut off' }));
  await screen.findByText('pump-4 is cut off.');
  expect(sent(calls, 'POST', `/v1/devices/${id}/cutOff`)).toHaveLength(1);
  const rowOf = (name: string) => within(screen.getByRole('link', { name }).closest('tr') as HTMLElement);
  expect(rowOf('relay-5').getAllByText('Cut off').length).toBeGreaterThan(0);
  expect(rowOf('relay-6').getAllByText('Another machine').length).toBeGreaterThan(0);
  await choose('relay-5', 'Admit again');
  fireEvent.click((await dialog('Admit again')).getByRole('button', { name: 'Admit again' }));
  await waitFor(() => expect(sent(calls, 'POST', `/v1/devices/${off.deviceId}/admit`)).toHaveLength(1));
});
