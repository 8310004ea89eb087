import '../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { list, refused, renderApp, subscriptionId, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const hour = 3_600_000;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const device = (n: number) => ({
  pendingDeviceId: `01a1fcdb-e331-70c1-ba47-0000000001${String(n).padStart(2, '0')}`,
  tenantId,
  deviceId: null,
  machineName: `plc-${n}`,
  operatingSystem: 'Debian GNU/Linux 12',
  architecture: 'x64',
  ipAddress: '192.0.2.7',
  created: ago(72 * hour),
  lastPing: ago(n === 2 ? 48 * hour : 1_000),
});
const rows = Array.from({ length: 26 }, (_, at) => device(at + 1));
const two = rows.slice(0, 2);

// Tells the page that live changes arrive.
vi.mock('../../api/live.ts', async (load) => ({ ...(await load<object>()), useLive: () => true }));

beforeEach(() => localStorage.clear());
afterEach(() => void vi.useRealTimers());

const open = (query = '', more: Answers = {}) =>
  renderApp(`/${tenantId}/pendingdevices${query}`, { 'GET /v1/pendingDevices': list(two), ...more });
const filters = (calls: readonly ApiCall[]) =>
  calls.filter((call) => call.path === '/v1/pendingDevices').map((call) => call.query.get('$filter') ?? '');
const tick = async (name: string) => fireEvent.click(await screen.findByRole('checkbox', { name: `Select ${name}` }));
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });

it('lists those of the tenant with checkboxes and buttons, and hides the inactive ones', async () => {
  const { calls, search } = await open();
  await proves('[PEND-001] the address shows them', () => screen.findByRole('link', { name: 'plc-2' }));
  const row = within(screen.getByRole('link', { name: 'plc-2' }).closest('tr') as HTMLElement);
  await proves('[PEND-002] a row is chosen by its checkbox', () => row.getByRole('checkbox', { name: 'Select plc-2' }));
  await proves('[PEND-003] has these columns', () =>
    expect(screen.getAllByRole('columnheader').map((cell) => cell.textContent)).toEqual([
      '',
      'Machine Name',
      'Device Id',
      'Operating System',
      'Architecture',
      'IP Address',
      'Create Date',
      'Last Ping',
    ]),
  );
  // The text is in its column, and in the second line that a phone shows.
  expect(row.getAllByText('Debian GNU/Linux 12')).toHaveLength(2);
  row.getByText('192.0.2.7');
  await proves('[PEND-023] marks the one without a ping in the last day', () => {
    expect(row.getAllByText('Inactive')).toHaveLength(2);
    expect(screen.getAllByText('Inactive')).toHaveLength(2);
  });
  await proves('[SHELL-032] the menu leads to it', () => {
    const menu = within(screen.getByRole('group', { name: 'Administration' }));
    expect(menu.getByRole('link', { name: 'Pending Devices' }).getAttribute('href')).toBe('/pendingdevices');
  });
  await proves('[PEND-008][PEND-016] Promote waits for a choice', () => expect(button('Promote').disabled).toBe(true));
  await proves('[PEND-009][PEND-017] Delete waits for a choice', () => expect(button('Delete').disabled).toBe(true));
  expect(filters(calls)).toEqual([`tenantId eq ${tenantId}`]);
  await proves('[PEND-010] hides and shows the inactive ones', async () => {
    fireEvent.click(button('Hide Inactive Devices'));
    await waitFor(() => expect(filters(calls).at(-1)).toBe(`tenantId eq ${tenantId} and lastPing ge now() sub duration'P1D'`));
    expect(search().get('q')).toBe('active');
    fireEvent.click(button('Show Inactive Devices'));
    await waitFor(() => expect(search().get('q')).toBeNull());
  });
});

it('searches name, system, architecture and address', async () => {
  const { calls } = await open('?search=X64');
  await screen.findByRole('link', { name: 'plc-1' });
  for (const [requirement, name] of [
    ['[PEND-004] searches the name', 'machineName'],
    ['[PEND-005] searches the system', 'operatingSystem'],
    ['[PEND-006] searches the architecture', 'architecture'],
    ['[PEND-007] searches the address', 'ipAddress'],
  ] as const)
    await proves(requirement, () => expect(filters(calls)[0]).toContain(`contains(folded(${name}),'x64')`));
});

it('promotes the ticked ones to the current subscription after a question; the ticks are locked until it is done', async () => {
  const answer = Promise.withResolvers<{ value: { pendingDeviceId: string; deviceId: string }[] }>();
  const { inputsOf } = await open('', { promotePending: () => answer.promise });
  await tick('plc-1');
  fireEvent.click(button('Promote'));
  const question = within(await screen.findByRole('dialog', { name: 'Promote 1 device to Grid operations' }));
  await proves('[PEND-021] asks in these words', () =>
    question.getByText('Selected devices will be promoted to the current subscription. Are you sure?'),
  );
  expect(inputsOf('promotePending')).toEqual([]);
  fireEvent.click(question.getByRole('button', { name: 'Promote' }));
  await waitFor(() => expect(inputsOf('promotePending')).toHaveLength(1));
  const pendingDeviceId = two[0]?.pendingDeviceId ?? '';
  await proves('[PEND-013] promotes to the current subscription', () =>
    expect(inputsOf('promotePending')[0]).toEqual({ items: [pendingDeviceId], subscriptionId }),
  );
  await screen.findByRole('button', { name: 'Promoting…' });
  await proves('[PEND-015] locks the ticks meanwhile', () => {
    for (const box of screen.getAllByRole<HTMLInputElement>('checkbox', { name: /^Select / })) expect(box.disabled).toBe(true);
  });
  expect(button('Delete').disabled).toBe(true);
  const newDevice = '01a1fcdb-0000-7000-8000-0000000000d1';
  await act(async () => answer.resolve({ value: [{ pendingDeviceId, deviceId: newDevice }] }));
  await screen.findByText('1 device was promoted.');
  expect(screen.getByRole('link', { name: 'Open device' }).getAttribute('href')).toBe(`/${tenantId}/devices?id=${newDevice}`);
  await waitFor(() => expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select plc-1' }).disabled).toBe(false));
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select plc-1' }).checked).toBe(false);
});

it('marks a machine that is a copy of a device, in the list and its panel', async () => {
  const copy = { ...device(1), copiedFrom: 'till-01' };
  await open(`?id=${copy.pendingDeviceId}`, {
    'GET /v1/pendingDevices': list([copy, device(2)]),
    [`GET /v1/pendingDevices(${copy.pendingDeviceId})`]: copy,
  });
  const row = within((await screen.findByRole('link', { name: 'plc-1' })).closest('tr') as HTMLElement);
  expect(row.getByText('Copy').title).toContain('Its agent came with a copy of till-01');
  expect(screen.getAllByText('Copy')).toHaveLength(1);
  await screen.findByText('Copy of');
  screen.getByText('till-01');
});

it('[PEND-014] [PEND-022] deletes the ticked ones after a question; a refusal says why and keeps the ticks', async () => {
  let answer = refused(404, 'This pending device was not found.');
  const { inputsOf } = await open('', { deletePending: () => answer() });
  await tick('plc-1');
  await tick('plc-2');
  const remove = async () => {
    fireEvent.click(button('Delete'));
    const question = within(await screen.findByRole('dialog', { name: 'Delete 2 devices' }));
    question.getByText('Selected devices will be permanently deleted. Are you sure?');
    fireEvent.click(question.getByRole('button', { name: 'Delete' }));
  };
  await remove();
  await screen.findByText('This pending device was not found.');
  expect(inputsOf('deletePending')[0]).toEqual({ items: two.map((device) => device.pendingDeviceId) });
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select plc-1' }).checked).toBe(true);
  answer = () => new Response(null, { status: 204 });
  await waitFor(() => expect(button('Delete').disabled).toBe(false));
  await remove();
  await screen.findByText('2 pending devices were deleted.');
});

it('24 are promoted or deleted together, 25 are refused in red', async () => {
  await open('?rows=50', { 'GET /v1/pendingDevices': list(rows) });
  await tick('plc-1');
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select all rows of this page' }));
  await proves('[PEND-020] warns in red', async () => {
    const warning = await screen.findByText('Please select fewer than 25 Devices.');
    expect(warning.className).toBe('too-many');
  });
  await proves('[PEND-018] offers no promotion', () => expect(button('Promote').disabled).toBe(true));
  await proves('[PEND-019] offers no deletion', () => expect(button('Delete').disabled).toBe(true));
  await tick('plc-1');
  expect(button('Promote').disabled).toBe(true);
  await tick('plc-2');
  await waitFor(() => expect([button('Promote').disabled, button('Delete').disabled]).toEqual([false, false]));
  expect(screen.queryByText('Please select fewer than 25 Devices.')).toBeNull();
});

it('a row opens to be read, and offers only what the person may do', async () => {
  await open(`?id=${two[0]?.pendingDeviceId}`, {
    [`GET /v1/pendingDevices(${two[0]?.pendingDeviceId})`]: two[0],
    'GET /v1/permissions': ['PendingDevices:view', 'PendingDevices:edit', 'Devices:view', 'Devices:edit'].map(
      (item) => `CloudFit.CFS.${item}`,
    ),
  });
  const panel = within(await screen.findByRole('dialog', { name: 'plc-1' }));
  panel.getByText('Debian GNU/Linux 12');
  expect(screen.queryByRole('button', { name: 'Promote' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Delete' })).toBeNull();
});

it('is read again every 30 s beside live changes, which tell of no ping, but not while nobody looks', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { calls } = await open();
  await screen.findByRole('link', { name: 'plc-1' });
  const before = filters(calls).length;
  await act(() => vi.advanceTimersByTimeAsync(29_000));
  expect(filters(calls)).toHaveLength(before);
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  await expect.poll(() => filters(calls)).toHaveLength(before + 1);
  const visible = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  document.dispatchEvent(new Event('visibilitychange'));
  await act(() => vi.advanceTimersByTimeAsync(90_000));
  expect(filters(calls)).toHaveLength(before + 1);
  visible.mockRestore();
});
