import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { list, renderApp, tenantId, type ApiCall } from '../../testing/render-app.tsx';

const protocolId = '01a1fcdb-e331-70c1-ba47-000000000c01';
const night = {
  protocolId,
  name: 'Night',
  description: null,
  timerInverval: '00:15:00',
  manualActions: null,
  tenantId,
  tenant: { tenantId, name: 'Northwind Energy' },
};
const groups = [
  { kind: 'units', count: 7, first: [{ id: '12', name: '#1012 Broken fan', tenantId }] },
  { kind: 'waitingSteps', count: 1, first: [{ id: 's1', name: 'Call the second line', tenantId }] },
];
const open = (query: string) =>
  renderApp(`/${tenantId}/protocols${query}`, {
    'GET /v1/protocols': list([night]),
    [`GET /v1/protocols(${protocolId})`]: night,
    [`POST /v1/impact/protocols/${protocolId}`]: { groups },
  });
const impactCalls = (calls: readonly ApiCall[]) => calls.filter(({ path }) => path.startsWith('/v1/impact/')).map(({ body }) => body);

it('lists what a change touches once something is typed, with links', async () => {
  const { calls } = await open(`?id=${protocolId}`);
  const name = await screen.findByDisplayValue('Night');
  expect(screen.queryByRole('region', { name: 'What this changes' })).toBeNull();
  expect(impactCalls(calls)).toEqual([]);
  fireEvent.change(name, { target: { value: 'Nights' } });
  const panel = await screen.findByRole('region', { name: 'What this changes' });
  await within(panel).findByText('7 open work units');
  expect(within(panel).getByRole('link', { name: '#1012 Broken fan' }).getAttribute('href')).toContain('workUnitId=12');
  expect(within(panel).getByText(/and 6 more/)).toBeTruthy();
  expect(within(panel).getByText('1 waiting step')).toBeTruthy();
  expect(impactCalls(calls)).toEqual([{ change: 'update' }]);
});

it('stands in the question before a deletion', async () => {
  const { calls } = await open('');
  const row = (await screen.findByText('Night')).closest('tr') as HTMLElement;
  fireEvent.click(within(row).getByRole('button', { name: /actions/i }));
  fireEvent.click(await screen.findByRole('menuitem', { name: /Delete/ }));
  const dialog = await screen.findByRole('dialog');
  await within(dialog).findByText('7 open work units');
  await waitFor(() => expect(impactCalls(calls)).toEqual([{ change: 'delete' }]));
});
