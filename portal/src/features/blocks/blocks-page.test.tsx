import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { blockColors } from '@cloudfit/contract/enums.ts';
import { list, refused, renderApp, subscriptionId, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const blockOf = (n: number, name: string, more: object = {}) => ({
  blockId: `01a1fcdb-0000-4000-8000-00000000000${n}`,
  entityId: `01a1fcdb-0000-4000-8000-00000000000${n}`,
  name,
  description: null,
  blockTypeId: 1,
  tenantId,
  subscriptionId,
  deviceId: null,
  entityColor: { color: 'grey' },
  created: '2026-11-21T10:00:00.000Z',
  modified: '2026-11-21T10:00:00.000Z',
  tenant: { tenantId, name: 'Northwind Energy' },
  subscription: { subscriptionId, name: 'Grid operations' },
  ...more,
});
const queue = blockOf(1, 'Queue length', { entityColor: { color: 'red' } });
const release = blockOf(2, 'Release', { blockTypeId: 2 });
const gateway = blockOf(3, 'gateway-1', { blockTypeId: 8, deviceId: '01a1fcdb-0000-7000-8000-0000000000d1' });
const quiet = blockOf(4, 'Quiet', { subscriptionId: 'ffffffff-0000-4000-8000-000000000001', subscription: { name: 'Labs' } });
const packetOf = (block: { entityId: string }, message: object, timestamp = new Date().toISOString()) => ({
  entityId: block.entityId,
  tenantId,
  timestamp,
  receivedTimestamp: timestamp,
  message,
});
const history = Array.from({ length: 100 }, (_, n) => ({
  value: 200 - n,
  message: { Value: 200 - n },
  timestamp: new Date(Date.UTC(2026, 10, 21, 10, 0, -n)).toISOString(),
  receivedTimestamp: new Date(Date.UTC(2026, 10, 21, 10, 0, 1 - n)).toISOString(),
}));
const at = `/v1/blocks/${queue.blockId}`;
const answers: Answers = {
  'GET /v1/blocks': list([queue, release, gateway, quiet]),
  'GET /v1/packets': list([
    packetOf(queue, { Value: 1234.5 }),
    packetOf(release, { Value: 'Release 12 is out' }),
    packetOf(gateway, { Metrics: { Cpu: 41.26 } }),
  ]),
  [`GET /v1/blocks(${queue.blockId})`]: queue,
  [`GET ${at}/history`]: { historyItems: history, totalCount: 250 },
  [`GET ${at}/logs`]: { logs: [{ logEntryId: 4, created: '2026-11-21T10:00:00.000Z', detail: 'Color set to red.' }] },
  'PUT /v1/blocks': queue,
  [`POST ${at}`]: queue,
  [`DELETE ${at}`]: () => new Response(null, { status: 204 }),
};
const open = (query = '', more: Answers = {}) => renderApp(`/${tenantId}/blocks${query}`, { ...answers, ...more });
const dialog = async (name: string | RegExp) => within(await screen.findByRole('dialog', { name }));
const tile = async (name: string) => within((await screen.findByRole('link', { name })).closest('li') as HTMLElement);
const sent = (calls: readonly ApiCall[], method: string) => calls.filter((call) => call.method === method);
const reads = (calls: readonly ApiCall[], path: string) => calls.filter((call) => call.method === 'GET' && call.path === path);

beforeEach(() => localStorage.clear());
afterEach(() => {
  vi.useRealTimers();
});

it('a board of tiles by subscription, each with what its entity reported last, in its colour', async () => {
  const { calls } = await open();
  (await tile('Queue length')).getByText('Red');
  expect((await screen.findByRole('link', { name: 'Queue length' })).closest('li')?.dataset['color']).toBe('red');
  await proves('[BLK-001] shows what was reported last', async () => {
    await (await tile('Queue length')).findByText('1,234.5');
    (await tile('Release')).getByText('Release 12 is out');
  });
  const device = await tile('gateway-1');
  expect(device.getByText('41.3 %').className).toContain('block-number');
  expect(device.getByText('Reporting').className).toContain('block-state');
  await proves('[BLK-027] says that nothing was reported', async () => (await tile('Quiet')).getByText('No data reported'));
  await proves('[BLK-002] has a part for each subscription', () => {
    within(screen.getByRole('region', { name: 'Labs' })).getByRole('link', { name: 'Quiet' });
    expect(within(screen.getByRole('region', { name: 'Grid operations' })).getAllByRole('listitem')).toHaveLength(3);
  });
  const query = reads(calls, '/v1/blocks')[0]?.query;
  expect(query?.get('$filter')).toBe(`subscriptionId eq ${subscriptionId}`);
  expect(query?.get('$orderby')).toBe('name asc');
  expect(reads(calls, '/v1/packets')[0]?.query.get('$filter')).toContain(`entityId in (${queue.entityId},`);
  expect(document.title).toBe('Blocks - CloudFit Software');
});

it('a device that is not heard is never calm: its tile is not in its colour and says since how long', async () => {
  const at = new Date(Date.now() - 900_000).toISOString();
  const message = { Metrics: { Cpu: 12, Uptime: 25_919_971 } };
  const packets = list([{ entityId: gateway.entityId, tenantId, timestamp: at, receivedTimestamp: at, message }]);
  const { calls } = await open('', {
    'GET /v1/packets': packets,
    'POST /v1/series': {
      step: 60_000,
      series: [
        {
          kind: 'number',
          bands: [],
          gap: 300_000,
          buckets: [
            [Date.now() - 1_800_000, 10, 12, 14, 12, 2],
            [Date.now() - 1_700_000, 10, 14, 16, 14, 2],
          ],
        },
      ],
    },
  });
  const device = await tile('gateway-1');
  await device.findByText('Silent for 15 min');
  for (const value of ['12 %', '300 d']) expect(device.getByText(value).className).toBe('num');
  expect(device.getByText('Silent for 15 min').className).toBe('block-text');
  const card = screen.getByRole('link', { name: 'gateway-1' }).closest('li');
  expect([card?.dataset['silent'], card?.dataset['color']]).toEqual(['', undefined]);
  expect(device.queryByText('Green')).toBeNull();
  await device.findByRole('img', { name: /^Cpu gateway-1, last hours: between 10 % and 16 %, now 14 %/ });
  expect(calls.filter(({ path }) => path === '/v1/series')).toHaveLength(1);
});

it('[BLK-004] [BLK-024] blocks are searched by name and by nothing else; without blocks it says so', async () => {
  const { calls, search } = await open('?search=pump', { 'GET /v1/blocks': list([]) });
  await screen.findByText('No blocks found');
  expect(reads(calls, '/v1/blocks').at(-1)?.query.get('$filter')).toBe(
    `subscriptionId eq ${subscriptionId} and contains(folded(name),'pump')`,
  );
  fireEvent.click(within(screen.getByText('No blocks found').parentElement as HTMLElement).getByRole('button', { name: 'Clear search' }));
  await waitFor(() => expect(search().get('search')).toBeNull());
  expect(reads(calls, '/v1/blocks').at(-1)?.query.get('$filter')).toBe(`subscriptionId eq ${subscriptionId}`);
});

it('the address opens the drawer of a block and its tab', async () => {
  const { search } = await open(`?blockId=${queue.blockId}&tab=logs`);
  const drawer = await proves('[BLK-005] opens the block', () => dialog('Edit Block: Queue length'));
  await proves('[BLK-007] has these tabs', () =>
    expect(drawer.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Details', 'Rule Matches', 'History', 'Logs']),
  );
  await proves('[BLK-006] opens the tab', () =>
    expect(drawer.getByRole('tab', { name: 'Logs' }).getAttribute('aria-selected')).toBe('true'),
  );
  await drawer.findByText('Color set to red.');
  fireEvent.click(drawer.getByRole('tab', { name: 'Rule Matches' }));
  await drawer.findByText('No Rule Matches Found.');
  expect(search().get('tab')).toBe('ruleMatches');
  fireEvent.keyDown(document.body, { key: 'Escape' });
  await waitFor(() => expect(search().toString()).toBe(''));
  fireEvent.click(screen.getByRole('link', { name: 'Queue length' }));
  await dialog('Edit Block: Queue length');
  expect(search().get('blockId')).toBe(queue.blockId);
});

it('the history has 100 rows per page', async () => {
  const { calls, search } = await open(`?blockId=${queue.blockId}&tab=history`);
  const drawer = await dialog('Edit Block: Queue length');
  await drawer.findByText('1–100 of 250');
  const grid = within(drawer.getByRole('table', { name: 'History' }));
  await proves('[BLK-012] shows these fields', () =>
    expect(grid.getAllByRole('columnheader').map((cell) => cell.textContent)).toEqual(['Value', 'Timestamp', 'Received']),
  );
  await proves('[BLK-009] has 100 rows', () => expect(grid.getAllByRole('row')).toHaveLength(101));
  await drawer.findByRole('img', { name: 'The 100 values shown, between 101 and 200; the latest is 200.' });
  fireEvent.click(drawer.getByRole('button', { name: 'Next page' }));
  await proves('[BLK-009] asks for 100 rows', () =>
    waitFor(() => expect(reads(calls, `${at}/history`).at(-1)?.query.toString()).toBe('pageNumber=1&rowCount=100')),
  );
  expect(search().get('panel.page')).toBe('2');
});

it('the history of a heartbeat shows its metrics and states', async () => {
  const [item] = history;
  const message = { Metrics: { Cpu: 41.26, Memory: 63 }, States: { Health: 'Healthy' } };
  await open(`?blockId=${queue.blockId}&tab=history`, {
    [`GET ${at}/history`]: { historyItems: [{ ...item, value: null, message }], totalCount: 1 },
  });
  const drawer = await dialog('Edit Block: Queue length');
  expect(await drawer.findByText('Cpu 41.26, Memory 63, Health Healthy')).toBeTruthy();
});

it('[BLK-025] [BLK-026] says that there is no history and that there are no logs', async () => {
  await open(`?blockId=${queue.blockId}&tab=history`, {
    [`GET ${at}/history`]: { historyItems: [], totalCount: 0 },
    [`GET ${at}/logs`]: { logs: [] },
  });
  const drawer = await dialog('Edit Block: Queue length');
  await drawer.findByText('No History Found.');
  fireEvent.click(drawer.getByRole('tab', { name: 'Logs' }));
  expect(await drawer.findByText('No Logs Found.')).toBeTruthy();
});

it('creates a block', async () => {
  let refuse = true;
  const { calls } = await open('', { 'PUT /v1/blocks': () => (refuse ? refused(500, 'x')() : queue) });
  fireEvent.click(await screen.findByRole('button', { name: 'Create' }));
  const form = await dialog('Create Block');
  await proves('[BLK-008] has no tabs yet', () => expect(form.queryAllByRole('tab')).toEqual([]));
  const type = form.getByLabelText<HTMLSelectElement>(/^Type/);
  await proves('[BLK-014] [BLK-015] offers these types', () =>
    expect([...type.options].map((option) => option.text)).toEqual(['', 'numeric', 'smallText']),
  );
  await proves('[BLK-016] offers these colours', () =>
    expect(form.getAllByRole<HTMLInputElement>('radio').map((radio) => radio.value)).toEqual([...blockColors]),
  );
  fireEvent.change(form.getByLabelText(/^Block ID/), { target: { value: tenantId } });
  fireEvent.click(form.getByRole('button', { name: 'Create' }));
  await proves('[BLK-017] needs a name', () => form.findByText('Name is required.'));
  await proves('[BLK-019] needs a valid id', () => form.getByText('Please enter a valid v4 or v5 GUID'));
  await proves('[BLK-020] needs a type', () => form.getByText('Please choose a type.'));
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Queue length' } });
  fireEvent.change(type, { target: { value: '1' } });
  fireEvent.click(form.getByRole('radio', { name: 'Red' }));
  fireEvent.change(form.getByLabelText(/^Block ID/), { target: { value: queue.blockId } });
  fireEvent.click(form.getByRole('button', { name: 'Create' }));
  await proves('[ERR-003] says that it failed', () => screen.findByText('A problem occurred saving the block. Please try again.'));
  expect(form.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Queue length');
  refuse = false;
  fireEvent.click(form.getByRole('button', { name: 'Create' }));
  await screen.findByText('Block created.');
  expect(sent(calls, 'PUT').at(-1)?.body).toEqual({
    blockId: queue.blockId,
    name: 'Queue length',
    description: null,
    blockTypeId: 1,
    tenantId,
    subscriptionId,
    entityColor: { color: 'red' },
  });
});

it('[BLK-021] [BLK-022] a block needs a tenant and a subscription', async () => {
  await open('?blockId=new');
  const form = await dialog('Create Block');
  fireEvent.change(form.getByLabelText(/^Tenant/), { target: { value: '' } });
  fireEvent.change(form.getByLabelText(/^Subscription/), { target: { value: '' } });
  fireEvent.click(form.getByRole('button', { name: 'Create' }));
  await form.findByText('Tenant is required.');
  expect(form.getByText('Subscription is required.')).toBeTruthy();
});

it('a block is renamed and coloured', async () => {
  const { calls } = await open(`?blockId=${queue.blockId}`);
  const form = await dialog('Edit Block: Queue length');
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Queue' } });
  fireEvent.click(form.getByRole('radio', { name: 'Green' }));
  fireEvent.click(form.getByRole('button', { name: 'Save' }));
  await screen.findByText('Block saved.');
  const saves = sent(calls, 'POST').filter(({ path }) => path === at);
  expect(saves.at(-1)?.body).toMatchObject({ name: 'Queue', entityColor: { color: 'green' } });
});

async function remove(name: string) {
  fireEvent.click((await tile(name)).getByRole('button', { name: `Actions for ${name}` }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  fireEvent.click(within(await screen.findByRole('dialog', { name: 'Delete Block' })).getByRole('button', { name: 'Delete' }));
}

it('[BLK-023] [ERR-005] a block is deleted after a question; a failure says so', async () => {
  let refuse = true;
  const { calls } = await open('', { [`DELETE ${at}`]: () => (refuse ? refused(500, 'x')() : new Response(null, { status: 204 })) });
  await remove('Queue length');
  await screen.findByText('A problem occurred deleting the block. Please try again.');
  refuse = false;
  await remove('Queue length');
  await screen.findByText('Block deleted successfully.');
  expect(sent(calls, 'DELETE').map((call) => call.path)).toEqual([at, at]);
  // A heartbeat block is deleted only with its device.
  fireEvent.click((await tile('gateway-1')).getByRole('button', { name: 'Actions for gateway-1' }));
  expect(screen.getAllByRole('menuitem').map((item) => item.textContent)).toEqual(['History of this']);
});

it('blocks are polled every 10 s and packets every 10.005 s, unless that is paused', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { calls } = await open();
  await (await tile('Queue length')).findByText('1,234.5');
  const counts = () => [reads(calls, '/v1/blocks').length, reads(calls, '/v1/packets').length];
  const [blocks = 0, packets = 0] = counts();
  // The intervals begin when the reads end, a moment before the first tile shows.
  await act(() => vi.advanceTimersByTimeAsync(9_900));
  expect(counts()).toEqual([blocks, packets]);
  await act(() => vi.advanceTimersByTimeAsync(100));
  await proves('[LIM-005] reads the blocks', async () => {
    await expect.poll(counts).toEqual([blocks + 1, packets]);
  });
  await act(() => vi.advanceTimersByTimeAsync(5));
  await proves('[LIM-006] reads the packets', async () => {
    await expect.poll(counts).toEqual([blocks + 1, packets + 1]);
  });
  fireEvent.click(screen.getByRole('button', { name: 'Pause updates' }));
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  await proves('[LIM-007] reads nothing while it is paused', () => expect(counts()).toEqual([blocks + 1, packets + 1]));
  fireEvent.click(screen.getByRole('button', { name: 'Resume updates' }));
  await act(() => vi.advanceTimersByTimeAsync(10_100));
  await expect.poll(() => counts()[0]).toBeGreaterThan(blocks + 1);
});

it('[PERM-010] says who may not see blocks that they may not', async () => {
  await open('', { 'GET /v1/blocks': refused(403, 'x') });
  await screen.findByText('You do not have access');
});
