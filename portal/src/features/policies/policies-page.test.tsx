import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, renderApp, tenantId } from '../../testing/render-app.tsx';

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
  const { calls } = await renderApp(`/${tenantId}/policies?id=${policy.policyId}`, {
    'GET /v1/policies': list([policy]),
    [`GET /v1/policies(${policy.policyId})`]: policy,
    'GET /v1/operations': list([
      {
        operationId,
        name: 'Free space',
        package: { name: 'Checks' },
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
  return { calls, panel };
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
