import '../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, refused, tenantId } from '../../testing/render-app.tsx';
import { idOf, deviceOf, campaignId, campaign, outcomes, open, click, selectAll, dialog, bodyOf } from './campaigns.fixtures.ts';

beforeEach(() => localStorage.clear());

it('lists campaigns, and opens one with the outcome and the output of each device', async () => {
  const deviceOperationId = '01a1fcdb-e331-70c1-ba47-0000000000f1';
  const run = { operationRunId: 'r1', deviceOperationId, status: 'Success', requestedBy: null, started: '2026-05-01T08:00:00.000Z' };
  const { calls, router } = await open('campaigns', {
    [`GET /v1/deviceOperations(${deviceOperationId})`]: { deviceOperationId, tenantId, deviceId: idOf(1), label: 'Disk', enabled: true },
    'GET /v1/operationRuns': list([{ ...run, exitCode: 0, durationMs: 5, message: null, value: null, output: 'The disk is full.' }]),
  });
  fireEvent.click(await screen.findByRole('link', { name: 'Run Measure' }));
  await waitFor(() => expect(router.state.location.pathname).toBe(`/${tenantId}/campaigns/${campaignId}`));
  await screen.findByRole('link', { name: 'pump-1' });
  const table = within(screen.getByRole('table', { name: 'Run Measure' }));
  expect(table.getAllByText('The disk is gone.')).not.toHaveLength(0);
  const output = table.getByRole('link', { name: 'Output of pump-1' });
  act(() => output.focus());
  fireEvent.click(output);
  await screen.findByText('The disk is full.');
  expect(router.state.location.pathname).toBe(`/${tenantId}/campaigns/${campaignId}`);
  fireEvent.keyDown(document.activeElement as Element, { key: 'Escape' });
  await waitFor(() => expect(screen.queryByText('The disk is full.')).toBeNull());
  expect(document.activeElement).toBe(table.getByRole('link', { name: 'Output of pump-1' }));
  const filters = () => calls.filter((call) => call.path === '/v1/campaignDevices').map((call) => call.query.get('$filter'));
  expect(filters().at(-1)).toContain(`campaignId eq ${campaignId}`);
  click('Failed 1');
  await waitFor(() => expect(filters().at(-1)).toContain("outcome eq 'Failed'"));
});

it('says aloud when another ring begins and when the campaign is over', async () => {
  const rings = [10, 50, 100].map((share) => ({ share, devices: 1 }));
  const expectText = async (more: object, text: string) => {
    await open(`campaigns/${campaignId}`, {
      [`GET /v1/campaigns(${campaignId})`]: { ...campaign, rings, ring: 1, gate: null, pauseMinutes: 0, ...more },
      'GET /v1/campaignDevices': ({ query }: { query: URLSearchParams }) => list(query.has('$apply') ? [] : outcomes),
    });
    await waitFor(() => expect(screen.getAllByRole('status').map((element) => element.textContent)).toContain(text));
  };
  await expectText({}, 'Ring 2 of 3 is running.');
  await expectText({ state: 'Done', waiting: 0, done: 2 }, 'Done: 3 of 3, 1 failed.');
});

it('shows an empty bar for a ring that the campaign has stopped before', async () => {
  const stopped = {
    ...campaign,
    kind: 'InstallVersion',
    state: 'Stopped',
    total: 3,
    waiting: 0,
    done: 0,
    failed: 0,
    returned: 1,
    stopped: 2,
    rings: [{ share: 34, devices: 1 }, { devices: 2 }],
    gate: { minShare: 95, heartbeat: false, ruleIds: [] },
    pauseMinutes: 0,
    ended: '2026-05-01T09:00:00.000Z',
  };
  await open(`campaigns/${campaignId}`, {
    [`GET /v1/campaigns(${campaignId})`]: stopped,
    'GET /v1/campaignDevices': ({ query }: { query: URLSearchParams }) =>
      query.has('$apply')
        ? list([
            { ring: 0, outcome: 'Returned', n: 1 },
            { ring: 1, outcome: 'Stopped', n: 2 },
          ])
        : list([]),
  });
  const rings = within(await screen.findByRole('region', { name: 'Rings' }));
  await waitFor(() => expect(rings.getAllByRole('progressbar').map((bar) => bar.getAttribute('aria-valuenow'))).toEqual(['100', '0']));
  rings.getByText('Not begun');
  rings.getByText('0 of 2');
});

it('stops a campaign after a question, and retries what failed', async () => {
  const { calls } = await open(`campaigns/${campaignId}`);
  fireEvent.click(await screen.findByRole('button', { name: 'Retry failed (1)' }));
  await screen.findByText('The campaign begins again on 1 device.');
  click('Stop');
  await (await dialog('Stop')).findByText(/1 device waits: its request is withdrawn/);
  fireEvent.click((await dialog('Stop')).getByRole('button', { name: 'Stop' }));
  await screen.findByText('The campaign stops.');
  expect(calls.filter((call) => call.method === 'POST' && call.path.includes(campaignId)).map((call) => call.path)).toEqual([
    `/v1/campaigns/${campaignId}/retryFailed`,
    `/v1/campaigns/${campaignId}/stop`,
  ]);
});

it('offers rings of 1 %, 10 % and the others with a gate, and sends them', async () => {
  const many = Array.from({ length: 200 }, (_, at) => deviceOf(at + 100, `pump-${at + 1}`));
  const { calls } = await open('devices', {
    'GET /v1/devices': ({ query }: { query: URLSearchParams }) => ({
      '@odata.count': 200,
      value: query.get('$top') === '1000' ? many : many.slice(0, 3),
    }),
    'GET /v1/rules': list([{ ruleId: idOf(5), name: 'Disk is full', tenantId }]),
  });
  await selectAll();
  fireEvent.click(await screen.findByRole('button', { name: 'Select all 200' }));
  await screen.findByText('200 selected');
  click('Install');
  const install = await dialog('Install a version on 200 devices');
  fireEvent.change(await install.findByRole('combobox', { name: 'Package' }), { target: { value: 'p1' } });
  fireEvent.click(install.getByRole('checkbox', { name: 'Roll out in rings' }));
  install.getByText('Last ring: the other 180 devices');
  fireEvent.change(install.getByLabelText('Percent up to ring 2'), { target: { value: '0.5' } });
  const start = install.getByRole<HTMLButtonElement>('button', { name: 'Install on 200 devices' });
  install.getByText('Each share is more than the one before, and less than 100.');
  expect(start.disabled).toBe(true);
  fireEvent.change(install.getByLabelText('Percent up to ring 2'), { target: { value: '25' } });
  click('Add ring');
  // The field starts with a valid share, so that no error shows.
  expect(install.getByLabelText<HTMLInputElement>('Percent up to ring 3').value).toBe('62');
  expect(install.queryByRole('alert')).toBeNull();
  fireEvent.change(install.getByLabelText('Ring 3 is'), { target: { value: 'tag' } });
  fireEvent.change(install.getByLabelText('Tag of ring 3'), { target: { value: 'spare' } });
  fireEvent.mouseDown(install.getByRole('combobox', { name: 'Rules that must not match on the devices' }));
  fireEvent.click(await screen.findByRole('option', { name: 'Disk is full' }));
  install.getByRole('button', { name: 'Remove rule Disk is full' });
  fireEvent.click(start);
  await waitFor(() =>
    expect(bodyOf(calls, 'start')).toMatchObject({
      kind: 'InstallVersion',
      rings: [{ share: 1 }, { share: 25 }, { filter: "contains(folded(tags),'spare')" }],
      gate: { minShare: 95, heartbeat: true, ruleIds: [idOf(5)] },
      pauseMinutes: 30,
    }),
  );
});

it('shows ring by ring how far it is and why it waits, continues, and returns', async () => {
  const ringed = {
    ...campaign,
    kind: 'InstallVersion',
    title: 'Install Checks 1.1.0',
    returned: 0,
    ring: 0,
    rings: [{ share: 34, devices: 1 }, { devices: 2 }],
    gate: { minShare: 95, heartbeat: true, ruleIds: [] },
    pauseMinutes: 30,
    ringNote: 'Succeeded: 0 of 1, needed: 1.',
    ringPassed: null,
  };
  const { calls } = await open(`campaigns/${campaignId}`, {
    [`GET /v1/campaigns(${campaignId})`]: ringed,
    'GET /v1/campaignDevices': ({ query }: { query: URLSearchParams }) =>
      query.has('$apply')
        ? list([
            { ring: 0, outcome: 'Running', n: 1 },
            { ring: 1, outcome: 'Waiting', n: 2 },
          ])
        : list(outcomes),
    [`POST /v1/campaigns/${campaignId}/continue`]: ringed,
  });
  const rings = within(await screen.findByRole('region', { name: 'Rings' }));
  const [first, second] = rings.getAllByRole('listitem');
  expect(first?.textContent).toContain('Succeeded: 0 of 1, needed: 1.');
  expect([first?.textContent, second?.textContent].map((text) => text?.includes('Current'))).toEqual([true, false]);
  rings.getByText('95 % must succeed, devices must report afterwards, pause of 30 min');
  click('Continue now');
  fireEvent.click((await dialog('Continue now')).getByRole('button', { name: 'Continue now' }));
  await screen.findByText('The next ring begins.');
  click('Stop and return');
  fireEvent.click((await dialog('Stop and return')).getByRole('button', { name: 'Stop and return' }));
  await screen.findByText('The previous version is restored.');
  const bodies = calls.filter((call) => call.method === 'POST' && call.path.includes(campaignId)).map((call) => call.body);
  expect(bodies).toEqual([{ ring: 0 }, { andReturn: true }]);
});

it('says until when the ring of a rule is watched, and what it waits for', async () => {
  const until = new Date();
  until.setHours(14, 32, 10);
  await open(`campaigns/${campaignId}`, {
    [`GET /v1/campaigns(${campaignId})`]: {
      ...campaign,
      kind: 'ChangeRule',
      title: 'Change Disk is full',
      ring: 0,
      rings: [{ share: 34, devices: 1 }, { devices: 2 }],
      gate: { minShare: 95, heartbeat: true, ruleIds: [] },
      pauseMinutes: 10_080,
      ringNote: '2 of 40 devices matched so far, limit 4.',
      ringUntil: until.toISOString(),
      ringPassed: null,
    },
    'GET /v1/campaignDevices': list([]),
  });
  await screen.findByText('Watching until 14:32:10 at the latest: 2 of 40 devices matched so far, limit 4.');
  screen.getByText(/, pause of 7 d$/);
});

it('says who skipped a ring, and does not say that it passed', async () => {
  await open(`campaigns/${campaignId}`, {
    [`GET /v1/campaigns(${campaignId})`]: {
      ...campaign,
      kind: 'ChangeRule',
      ring: 2,
      rings: [
        { share: 10, devices: 1 },
        { share: 34, devices: 1, skippedBy: 'mara@northwind.example', skippedAt: new Date().toISOString() },
        { devices: 2 },
      ],
      gate: { minShare: 95, heartbeat: true, ruleIds: [] },
      ringPassed: null,
    },
    'GET /v1/campaignDevices': list([]),
  });
  const rings = within(await screen.findByRole('region', { name: 'Rings' })).getAllByRole('listitem');
  const texts = rings.map((ring) => ring.textContent);
  expect(texts[0]).toContain('Passed');
  expect(texts[1]).toMatch(/Skipped.*by .*(mara@northwind\.example|Mara).*(now|ago)/);
  expect(texts[1]).not.toContain('Passed');
});

it('says that a campaign does not exist', async () => {
  await open(`campaigns/${campaignId}`, { [`GET /v1/campaigns(${campaignId})`]: refused(404, 'Campaign was not found.') });
  await screen.findByText(/no longer exists|was not found|does not exist/i);
});
