import '../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, renderApp, tenantId, type ApiCall } from '../../testing/render-app.tsx';

const selectionId = '00000000-0000-4000-8000-00000000a001';
const operationId = '00000000-0000-4000-8000-00000000b001';

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

it('builds the filter of a selection from the filters of devices, and shows its devices before it is saved', async () => {
  const { calls, inputsOf } = await renderApp(`/${tenantId}/deviceselections?id=new`, {
    'GET /v1/deviceSelections': list([]),
    'PUT /v1/deviceSelections': {},
    previewSelection: { count: 25, devices: [{ deviceId: 'd', name: 'web-07', tenantId, tenantName: 'Northwind' }] },
  });
  const form = within(await screen.findByRole('dialog', { name: 'Create Device Selection' }));
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Web' } });
  fireEvent.change(form.getByPlaceholderText(/contains/), { target: { value: "contains(tags,'web')" } });
  await form.findByText('web-07');
  form.getByText('25 devices now');
  form.getByText('and 24 more');
  expect(inputsOf('previewSelection').at(-1)).toMatchObject({ filter: "contains(tags,'web')" });
  fireEvent.click(form.getByRole('button', { name: 'Create' }));
  await waitFor(() => {
    const saved = calls.find(({ method, path }) => method === 'PUT' && path === '/v1/deviceSelections');
    expect(saved?.body).toMatchObject({ name: 'Web', filter: "contains(tags,'web')" });
  });
});

const policy = {
  policyId: '00000000-0000-4000-8000-00000000c001',
  name: 'Every host',
  description: null,
  enabled: true,
  tenantId,
  tenantGroupId: null,
  deviceSelectionId: selectionId,
  deviceSelection: { deviceSelectionId: selectionId, name: 'All hosts' },
  rank: 100,
  operations: [{ operationId, label: 'Disk', frequencyTypeId: 2, interval: '00:05:00', parameters: [] }],
  packages: [],
  tags: null,
  heartbeatInterval: 60,
  ruleValues: null,
  onLeave: 'Remove',
  isDeleted: false,
};

/** Opens the policy, and changes the path of its operation. */
async function openPolicy() {
  const { calls, inputsOf } = await renderApp(`/${tenantId}/policies?id=${policy.policyId}`, {
    addPolicyCheck: () => Response.json({ policy, rule: { ruleId: 'r1' } }),
    'GET /v1/policies': list([policy]),
    [`GET /v1/policies(${policy.policyId})`]: policy,
    'GET /v1/operations': list([
      {
        operationId,
        name: 'Free space',
        package: { name: 'Checks' },
        operationTypeId: 3,
        frequencyDefinitions: [2],
        parameterDefinitions: [{ Name: 'Path', Source: 1, Required: true, Description: '', DefaultValue: '/' }],
        defaultInterval: '00:05:00',
      },
    ]),
    'GET /v1/packages': list([]),
    'GET /v1/deviceSelections': list([{ deviceSelectionId: selectionId, name: 'All hosts' }]),
    previewPolicy: {
      devices: 12,
      before: 10,
      gains: [{ kind: 'Operation', key: 'Operation x disk', label: 'Disk', devices: 2 }],
      losses: [],
      changes: [{ kind: 'Heartbeat', key: 'Heartbeat', label: 'Heartbeat', devices: 3 }],
      conflicts: [
        { kind: 'Heartbeat', key: 'Heartbeat', label: 'Heartbeat', devices: 4, policyId: 'o', policyName: 'Databases', wins: false },
      ],
    },
    [`POST /v1/policies/${policy.policyId}`]: policy,
    'GET /v1/campaigns': list([]),
    'POST /v1/policies/rollOut': { campaignId: 'c1', tenantId },
    'GET /v1/campaigns(c1)': { campaignId: 'c1' },
  });
  const panel = within(await screen.findByRole('dialog', { name: /Every host/ }));
  await panel.findByText('For 12 devices, before for 10.');
  fireEvent.change(await panel.findByLabelText(/^Path/), { target: { value: '/var' } });
  return { calls, inputsOf, panel };
}

it('says before a policy is saved what devices gain and which policy wins', async () => {
  const { calls, panel } = await openPolicy();
  expect(panel.getByRole('region', { name: 'What saving changes' }).textContent).toContain('Gains: Operation Disk on 2 devices');
  panel.getByText(/This policy yields to Databases on 4 devices/);
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await waitFor(() => {
    const saved = calls.find(({ method, path }) => method === 'POST' && path === `/v1/policies/${policy.policyId}`);
    expect(saved?.body).toMatchObject({
      operations: [{ operationId, label: 'Disk', parameters: [{ Name: 'Path', Source: 1, Value: '/var' }] }],
    });
  });
});

it('rolls what the form says out in rings', async () => {
  const { calls, panel } = await openPolicy();
  fireEvent.click(await panel.findByRole('button', { name: 'Roll out in rings' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Roll out Every host in rings' }));
  fireEvent.click(dialog.getByRole('button', { name: 'Begin with ring 1' }));
  await waitFor(() =>
    expect(calls.find(({ path }) => path === '/v1/policies/rollOut')?.body).toMatchObject({
      policyId: policy.policyId,
      policy: { heartbeatInterval: 60, operations: [{ parameters: [{ Name: 'Path', Value: '/var' }] }] },
      rings: [{ share: 10 }],
      pauseMinutes: 30,
    }),
  );
});

it('adds a check that opens a unit when it is down, or at a limit', async () => {
  const { inputsOf, panel } = await openPolicy();
  fireEvent.click(panel.getByRole('button', { name: 'Add check' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Add check: Every host' }));
  const choice = await dialog.findByRole('combobox', { name: 'Add an operation' });
  act(() => choice.focus());
  fireEvent.change(choice, { target: { value: 'Free' } });
  fireEvent.click(await screen.findByRole('option', { name: /Free space/ }));
  fireEvent.change(dialog.getByLabelText(/^Label/), { target: { value: 'Front page' } });
  fireEvent.change(dialog.getByLabelText('Severity'), { target: { value: 'Sev1' } });
  const path = dialog.getByLabelText(/^Path/);
  fireEvent.change(path, { target: { value: '' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Add check' }));
  // What is missing is named at its field, where a message would cover the buttons of a phone.
  await dialog.findByText('Path is required.');
  expect(document.activeElement).toBe(path);
  fireEvent.change(path, { target: { value: '/' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Add check' }));
  await waitFor(() => expect(inputsOf('addPolicyCheck')).toHaveLength(1));
  expect(inputsOf('addPolicyCheck')[0]).toMatchObject({
    id: policy.policyId,
    operation: { operationId, label: 'Front page', interval: '00:05:00', parameters: [{ Name: 'Path', Value: '/' }] },
    when: { reading: 'Down' },
    severityId: 'Sev1',
  });
});

it('says on how many devices each thing is as set, where it is not, and who was corrected', async () => {
  const item = { policyItemId: 'i1', tenantId, deviceId: 'd1', device: { name: 'web-07' }, kind: 'Heartbeat', label: 'Heartbeat' };
  const group = { kind: 'Operation', label: 'Disk', again: 0 };
  const { calls, inputsOf } = await renderApp(`/${tenantId}/policies?id=${policy.policyId}&tab=devices`, {
    'GET /v1/policies': list([policy]),
    [`GET /v1/policies(${policy.policyId})`]: policy,
    'GET /v1/campaigns': list([]),
    'GET /v1/operations': list([]),
    'GET /v1/packages': list([]),
    'GET /v1/deviceSelections': list([]),
    previewPolicy: { devices: 0, before: 0, gains: [], losses: [], changes: [], conflicts: [] },
    'GET /v1/policyItems': ({ query }: ApiCall) =>
      query.has('$apply')
        ? list([
            { ...group, state: 'Set', devices: 11, again: 0 },
            { ...group, state: 'Failed', devices: 2 },
            { kind: 'Heartbeat', label: 'Heartbeat', state: 'Set', devices: 13, again: 3 },
          ])
        : query.get('$filter')?.includes("'Kept'")
          ? list([{ ...item, deviceId: 'd2', device: { name: 'web-08' }, state: 'Kept', since: '2026-11-29T10:00:00.000Z', mended: 0 }])
          : list([{ ...item, state: 'Set', detail: null, mended: 3, mendedOn: '2026-11-29T10:00:00.000Z' }]),
    'GET /v1/policyExceptions': list([
      {
        policyExceptionId: 'x1',
        tenantId,
        deviceId: 'd3',
        device: { name: 'web-09' },
        thing: 'Tag gone',
        label: 'gone',
        until: null,
        reason: 'A slow link',
        createdBy: 'mara@example.com',
      },
    ]),
    'GET /v1/devices': list([{ deviceId: 'd1', tenantId, name: 'web-07' }]),
    'PUT /v1/policyExceptions': {},
    mendPolicy: { devices: 1 },
  });
  const section = (await screen.findByRole('heading', { name: 'What it sets' })).closest('section') as HTMLElement;
  const lines = within(section).getAllByRole('row').slice(1);
  expect(
    lines.map((line) =>
      within(line)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent),
    ),
  ).toEqual([
    ['Operation Disk', '11', '2', '0'],
    ['Heartbeat', '13', '0', '3'],
  ]);
  const link = screen.getByRole('link', { name: 'web-07' });
  expect(link.getAttribute('href')).toBe(`/${tenantId}/devices/d1?part=policies`);
  screen.getByText(/^set again 3 times, last/);
  fireEvent.click(screen.getByRole('button', { name: 'Mend web-07 now' }));
  await waitFor(() => expect(inputsOf('mendPolicy')).toEqual([{ id: policy.policyId, deviceId: 'd1' }]));
  await screen.findByText('web-08');
  screen.getByText(/keeps Heartbeat/);
  screen.getByText(/without an end/);
  screen.getByText('the policy does not set it any more');
  fireEvent.click(screen.getByRole('button', { name: 'Add an exception' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Exception from Every host' }));
  const choice = await dialog.findByRole('combobox', { name: /^Device/ });
  act(() => choice.focus());
  fireEvent.change(choice, { target: { value: 'web' } });
  fireEvent.click(await screen.findByRole('option', { name: 'web-07' }));
  fireEvent.change(dialog.getByLabelText('What it does not have'), { target: { value: 'Heartbeat' } });
  fireEvent.change(dialog.getByLabelText(/^Why/), { target: { value: 'A slow link' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Except' }));
  await waitFor(() =>
    expect(calls.find(({ method, path }) => method === 'PUT' && path === '/v1/policyExceptions')?.body).toMatchObject({
      policyId: policy.policyId,
      deviceId: 'd1',
      thing: 'Heartbeat',
      until: null,
      reason: 'A slow link',
    }),
  );
});

it('asks for what a template needs, and shows at the field what is wrong with it', async () => {
  const message = 'Address begins with https:// or http://, as https://www.example.com/.';
  let answers = 0;
  const { inputsOf } = await renderApp(`/${tenantId}/policies`, {
    'GET /v1/policies': list([]),
    'GET /v1/deviceSelections': list([{ deviceSelectionId: selectionId, name: 'Web servers' }]),
    previewSelection: { count: 0, devices: [] },
    policyFromTemplate: () =>
      (answers += 1) === 1
        ? Response.json({ error: { code: 'ValidationFailed', message, details: [{ target: 'values.Address', message }] } }, { status: 400 })
        : Response.json({ ...policy, name: 'Web site with certificate' }),
    [`GET /v1/policies(${policy.policyId})`]: policy,
  });
  fireEvent.click(await screen.findByRole('button', { name: /From a template/ }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Web site with certificate' }));
  const dialog = within(await screen.findByRole('dialog', { name: /Web site with certificate/ }));
  dialog.getByText('Web site <Address>');
  await dialog.findByText(/No device now/);
  fireEvent.change(dialog.getByLabelText(/^Address/), { target: { value: 'www.example.com' } });
  dialog.getByText('Web site www.example.com');
  fireEvent.change(dialog.getByLabelText('For which devices'), { target: { value: selectionId } });
  fireEvent.click(dialog.getByRole('button', { name: 'Make policy' }));
  await dialog.findByText(message);
  expect(dialog.getByLabelText(/^Address/).getAttribute('aria-invalid')).toBe('true');
  fireEvent.click(dialog.getByRole('button', { name: 'Make policy' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: /From the template/ })).toBeNull());
  expect(inputsOf('policyFromTemplate').at(-1)).toMatchObject({
    template: 'WebSite',
    tenantId,
    values: { Address: 'www.example.com' },
    deviceSelectionId: selectionId,
  });
});

it('puts policies in another order by buttons and keys, and says before what that changes', async () => {
  const named = (id: string, name: string, rank: number) => ({
    ...policy,
    policyId: `00000000-0000-4000-8000-00000000d00${id}`,
    name,
    rank,
  });
  const all = [named('1', 'First', 10), named('2', 'Second', 20), named('3', 'Third', 30)];
  const { inputsOf } = await renderApp(`/${tenantId}/policies`, {
    'GET /v1/policies': list(all),
    previewPolicyOrder: {
      ranks: [{ policyId: all[0]?.policyId ?? '', name: 'First', rank: 25, before: 10 }],
      changes: [
        {
          kind: 'Heartbeat',
          key: 'Heartbeat',
          label: 'Heartbeat',
          devices: 2,
          names: ['db-1', 'db-2'],
          policyName: 'Second',
          insteadOf: 'First',
        },
      ],
    },
    orderPolicies: { changed: 1 },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Precedence' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Precedence of policies' }));
  const names = () => dialog.getAllByRole('listitem').map(({ textContent }) => /First|Second|Third/.exec(textContent ?? '')?.[0]);
  await dialog.findByRole('button', { name: 'Move First up' });
  expect(dialog.getByRole('button', { name: 'Save the order' })).toHaveProperty('disabled', true);
  fireEvent.click(dialog.getByRole('button', { name: 'Move First down' }));
  fireEvent.keyDown(dialog.getByRole('button', { name: 'Move Third up' }), { key: 'ArrowUp', altKey: true });
  expect(names().slice(0, 3)).toEqual(['Second', 'Third', 'First']);
  await dialog.findByText(/Heartbeat: by Second instead of First on 2 devices: db-1, db-2/);
  fireEvent.click(dialog.getByRole('button', { name: 'Save the order' }));
  await waitFor(() => expect(inputsOf('orderPolicies')).toHaveLength(1));
  expect(inputsOf('orderPolicies')[0]).toMatchObject({ policyIds: [all[1], all[2], all[0]].map((row) => row?.policyId) });
});
