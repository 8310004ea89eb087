import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { list, renderApp, tenantId, type Answers } from '../../testing/render-app.tsx';

const entityId = '01a1fcdb-0000-7000-8000-0000000000d1';
const blockId = '01a1fcdb-0000-5000-8000-000000000003';
const packet = {
  entityId,
  tenantId,
  timestamp: '2026-11-21T10:00:00.000Z',
  receivedTimestamp: '2026-11-21T10:00:01.000Z',
  message: {
    Metrics: { Cpu: 41.5, Memory: 63 },
    States: { Service: 'up' },
    Properties: { Rack: 'A1' },
    Diagnostics: { took: '12 ms' },
  },
};
const block = {
  blockId,
  entityId,
  name: 'gateway-1',
  blockTypeId: 8,
  tenantId,
  subscriptionId: 's1',
  entityColor: { color: 'green' },
  subscription: { name: 'Grid operations' },
};
const answers: Answers = {
  'GET /v1/packets': list([packet]),
  'GET /v1/blocks': list([block]),
  blockLogEntries: { logs: [{ logEntryId: 4, created: packet.timestamp, detail: 'Block created.' }] },
  blockHistory: { historyItems: [], totalCount: 0 },
};
const open = (query = '', more: Answers = {}) => renderApp(`/${tenantId}/packets/${entityId}${query}`, { ...answers, ...more });

beforeEach(() => localStorage.clear());

it('the packet of an entity has an address; its drawer begins with the details', async () => {
  const { calls, search, router } = await open();
  const drawer = within(await proves('[PKT-001] opens at its address', () => screen.findByRole('dialog', { name: 'gateway-1' })));
  await proves('[PKT-002] has these tabs', () =>
    expect(drawer.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Details', 'Rule Matches', 'History', 'Logs']),
  );
  await proves('[PKT-003] begins with the details', () =>
    expect(drawer.getByRole('tab', { name: 'Details' }).getAttribute('aria-selected')).toBe('true'),
  );
  const metrics = within(await drawer.findByRole('table', { name: 'Metrics' }));
  await proves('[PKT-005] shows each part of the message', () => {
    expect(metrics.getAllByRole('row').map((row) => row.textContent)).toEqual(['Cpu41.5', 'Memory63']);
    within(drawer.getByRole('table', { name: 'States' })).getByText('up');
    within(drawer.getByRole('table', { name: 'Properties' })).getByText('A1');
    expect(drawer.getByRole('group', { name: 'Diagnostics' }).textContent).toContain('12 ms');
  });
  await proves('[PKT-004] shows the message and the entity', () => {
    expect(JSON.parse(drawer.getByRole('group', { name: 'Message' }).textContent)).toEqual(packet.message);
    drawer.getByText(entityId, { selector: 'dd *' });
  });
  expect(document.title).toBe('Packet - CloudFit Software');

  fireEvent.click(drawer.getByRole('tab', { name: 'Rule Matches' }));
  await drawer.findByText('No Rule Matches Found.');
  expect(search().get('tab')).toBe('ruleMatches');
  expect(calls.findLast((call) => call.path === '/v1/ruleMatches')?.query.get('$filter')).toBe(`subjectId eq ${entityId}`);
  fireEvent.click(drawer.getByRole('tab', { name: 'Logs' }));
  await drawer.findByText('Block created.');
  fireEvent.click(drawer.getByRole('tab', { name: 'History' }));
  await drawer.findByText('No History Found.');
  fireEvent.keyDown(document.body, { key: 'Escape' });
  await waitFor(() => expect(router.state.location.pathname).toBe(`/${tenantId}/blocks`));
});

it('[PKT-006] says that there is none, also to somebody who may not see blocks', async () => {
  await open('', {
    'GET /v1/packets': list([]),
    permissionsOfCaller: allPermissions.filter((permission) => !permission.includes('Blocks:') && !permission.endsWith(':mine')),
  });
  const drawer = within(await screen.findByRole('dialog', { name: 'Packet' }));
  await drawer.findByText('No packet for this entity.');
  fireEvent.click(drawer.getByRole('tab', { name: 'Logs' }));
  await drawer.findByText('No Logs Found.');
});

it('[LIM-006] the packet is read again every 10.005 s', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const { calls } = await open();
    await screen.findByRole('table', { name: 'Metrics' });
    const alone = () =>
      calls.filter((call) => call.path === '/v1/packets' && call.query.get('$filter') === `entityId eq ${entityId}`).length;
    const before = alone();
    await act(() => vi.advanceTimersByTimeAsync(10_004));
    expect(alone()).toBe(before);
    await act(() => vi.advanceTimersByTimeAsync(2));
    await expect.poll(alone).toBe(before + 1);
  } finally {
    vi.useRealTimers();
  }
});
