import '../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, refused, renderApp, subscriptionId, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';
import { installLine, isOwnMachineOnly } from './install-line.ts';

const tokenGrantId = '01a1fcdb-e331-70c1-ba47-000000000901';
const token = { tokenGrantId, tenantId, created: '2026-11-01T00:00:00.000Z', generatedToken: 'cfst_violetTractor' };
const machine = {
  pendingDeviceId: '01a1fcdb-e331-70c1-ba47-000000000902',
  tenantId,
  machineName: 'rack-7',
  operatingSystem: 'linux',
  architecture: 'x64',
  ipAddress: '192.0.2.7',
  created: '2026-11-01T00:01:00.000Z',
  lastPing: '2026-11-01T00:01:00.000Z',
  tokenGrantId,
};
const device = { deviceId: '01a1fcdb-e331-70c1-ba47-000000000903', name: 'rack-8', created: '2026-11-01T00:02:00.000Z' };
const settings = (url: string | null) => ({ agentDownloadUrl: null, agents: [{ platform: 'linux-x64', url }] });

beforeEach(() => localStorage.clear());

const open = async (more: Answers = {}) => {
  const app = await renderApp(`/${tenantId}/pendingdevices?add=new`, {
    'GET /v1/pendingDevices': list([machine]),
    'GET /v1/devices': list([device]),
    'GET /api/generallookup/locations': [],
    [`GET /api/${tenantId}/settings`]: settings('/agent/cloudfit-agent-linux-x64'),
    'PUT /v1/tokens': token,
    ...more,
  });
  return { ...app, panel: within(await screen.findByRole('dialog', { name: 'Add devices' })) };
};
const bodies = (calls: readonly ApiCall[]) =>
  calls.filter(({ method, path }) => method === 'PUT' && path === '/v1/tokens').map(({ body }) => body as Record<string, unknown>);
type Panel = Awaited<ReturnType<typeof open>>['panel'];
const set = (panel: Panel, label: RegExp, value: string) => fireEvent.change(panel.getByLabelText(label), { target: { value } });
const create = (panel: Panel) => fireEvent.click(panel.getByRole('button', { name: 'Create' }));

it('makes a token for an hour and 50 machines, shows the line once, and the machines that come with it', async () => {
  const { panel, calls } = await open();
  expect(document.activeElement).toBe(panel.getByLabelText('Operating system'));
  create(panel);
  await panel.findByText(installLine('linux', location.origin, token.generatedToken));
  expect(document.activeElement?.closest('.install-line')).not.toBeNull();
  const [body] = bodies(calls);
  expect(body).toMatchObject({ tenantId, scopes: ['agent'], machinesInAll: 50 });
  expect(body).not.toHaveProperty('promoteTo');
  const lastsMs = Date.parse(String(body?.['expiresOn'])) - Date.now();
  expect(lastsMs).toBeGreaterThan(3_500_000);
  expect(lastsMs).toBeLessThanOrEqual(3_600_000);
  const waiting = within(panel.getByRole('region', { name: 'Machines that wait' }));
  await waiting.findByText('rack-7');
  waiting.getByRole('button', { name: 'Promote rack-7' });
  // Live regions: the machines appear while the person reads the command line.
  for (const name of ['Machines that wait', 'New devices of the subscription'])
    expect(panel.getByRole('region', { name }).getAttribute('aria-live')).toBe('polite');
  const link = await panel.findByRole('link', { name: 'rack-8' });
  expect(link.getAttribute('href')).toBe(`/${tenantId}/devices?id=${device.deviceId}`);
  for (const [path, filter] of [
    ['/v1/pendingDevices', `tokenGrantId eq ${tokenGrantId}`],
    ['/v1/devices', `enrolledBy eq ${tokenGrantId}`],
  ])
    expect(calls.filter((call) => call.path === path).map(({ query }) => query.get('$filter'))).toContain(filter);
  fireEvent.click(panel.getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(screen.queryByText(/violetTractor/)).toBeNull());
});

it('promotes a machine to the subscription that is chosen there', async () => {
  const { panel, inputsOf } = await open({ promotePending: { value: [] } });
  create(panel);
  fireEvent.click(await panel.findByRole('button', { name: 'Promote rack-7' }));
  const question = within(await screen.findByRole('dialog', { name: /^Promote 1 device to/ }));
  fireEvent.click(question.getByRole('button', { name: 'Promote' }));
  await waitFor(() => expect(inputsOf('promotePending')).toEqual([{ subscriptionId, items: [machine.pendingDeviceId] }]));
});

it('leads to the next machine after a promotion, and after the last one to its device', async () => {
  const second = { ...machine, pendingDeviceId: '01a1fcdb-e331-70c1-ba47-000000000904', machineName: 'rack-9' };
  let [waiting, added] = [[machine, second], [device]];
  const { panel } = await open({
    'GET /v1/pendingDevices': () => list(waiting),
    'GET /v1/devices': () => list(added),
    promotePending: ({ items }) => {
      const done = waiting.filter(({ pendingDeviceId }) => items.includes(pendingDeviceId));
      waiting = waiting.filter((waiter) => !done.includes(waiter));
      added = [...done.map(({ pendingDeviceId, machineName }) => ({ ...device, deviceId: pendingDeviceId, name: machineName })), ...added];
      return { value: done.map(({ pendingDeviceId }) => ({ pendingDeviceId, deviceId: pendingDeviceId })) };
    },
  });
  create(panel);
  const promote = async (name: string) => {
    const button = await panel.findByRole('button', { name: `Promote ${name}` });
    act(() => button.focus());
    fireEvent.click(button);
    const question = within(await screen.findByRole('dialog', { name: /^Promote 1 device to/ }));
    fireEvent.click(question.getByRole('button', { name: 'Promote' }));
  };
  await promote('rack-7');
  await waitFor(() => expect(document.activeElement).toBe(panel.getByRole('button', { name: 'Promote rack-9' })));
  await promote('rack-9');
  await waitFor(() => expect(document.activeElement).toBe(panel.getByRole('link', { name: 'rack-9' })));
});

it('sends the rule by which machines are promoted, and names what the server refuses', async () => {
  let answer: () => unknown = refused(400, 'x.', [{ target: 'promoteNetworks', message: '10.0.0.0/99 is not a network.' }]);
  const { panel, calls } = await open({ 'PUT /v1/tokens': () => answer() });
  set(panel, /^Operating system/, 'win');
  set(panel, /^The token is good for/, '24');
  set(panel, /^New machines/, 'rule');
  set(panel, /^Only with the name/, 'rack-*');
  set(panel, /^Only from the networks/, '10.0.0.0/99, 192.0.2.0/24');
  create(panel);
  await panel.findByText('10.0.0.0/99 is not a network.');
  expect(bodies(calls)[0]).toMatchObject({
    promoteTo: subscriptionId,
    promoteLocationId: null,
    promoteNames: 'rack-*',
    promoteNetworks: ['10.0.0.0/99', '192.0.2.0/24'],
  });
  answer = () => token;
  create(panel);
  await panel.findByText(installLine('win', location.origin, token.generatedToken));
});

it('refuses a number of machines that is none, and says when the server has no agent', async () => {
  const { panel, calls } = await open({ [`GET /api/${tenantId}/settings`]: settings(null) });
  await panel.findByText(/run "npm run agent" in the folder of the server/);
  set(panel, /^How many machines/, '0');
  panel.getByText('A number of at least 1 is required.');
  create(panel);
  expect(bodies(calls)).toEqual([]);
});

it('warns when the line names an address that only the server itself reaches', async () => {
  const { panel } = await open();
  await panel.findByText(/^The line will name http:\/\/localhost.*, which no other machine reaches\. Set PUBLIC_URL/);
  const loopback = [
    'http://localhost:8080',
    'http://desk.localhost',
    'http://127.0.0.1',
    'http://127.1.2.3:80',
    'http://[::1]:8080',
    'http://0.0.0.0',
  ];
  const others = ['https://desk.example.com', 'http://10.0.0.5:8080', 'http://localhost.example.com', 'http://[fd00::1]'];
  expect([...loopback, ...others].filter(isOwnMachineOnly)).toEqual(loopback);
});
