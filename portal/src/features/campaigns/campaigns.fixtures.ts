/** Devices and campaigns, and how the tests open their pages. */
import { fireEvent, screen, within } from '@testing-library/react';
import { list, renderApp, subscriptionId, tenantId, type Answers } from '../../testing/render-app.tsx';

export const idOf = (n: number) => `01a1fcdb-e331-70c1-ba47-0000000000d${n}`;
export const deviceOf = (n: number, name: string) => ({
  deviceId: idOf(n),
  name,
  tenantId,
  tenant: { tenantId, name: 'Northwind Energy' },
  subscriptionId,
  locationId: null,
  location: null,
  enabled: true,
});
export const campaignId = '01a1fcdb-e331-70c1-ba47-0000000000c1';
export const campaign = {
  campaignId,
  tenantId,
  title: 'Run Measure',
  kind: 'RunOperation',
  state: 'Running',
  total: 3,
  waiting: 1,
  running: 0,
  done: 1,
  failed: 1,
  stopped: 0,
  returned: 0,
  rings: null,
  ring: 0,
  createdBy: 'mara@northwind.example',
  created: '2026-05-01T08:00:00.000Z',
  ended: null,
};
const outcomeOf = (n: number, name: string, outcome: string, more: object = {}) => ({
  campaignDeviceId: `01a1fcdb-e331-70c1-ba47-0000000000e${n}`,
  campaignId,
  tenantId,
  deviceId: idOf(n),
  device: { deviceId: idOf(n), name },
  deviceOperationId: null,
  outcome,
  reason: null,
  begun: null,
  ended: null,
  ...more,
});
export const outcomes = [
  outcomeOf(1, 'pump-1', 'Done', { deviceOperationId: '01a1fcdb-e331-70c1-ba47-0000000000f1' }),
  outcomeOf(2, 'pump-2', 'Failed', { reason: 'The disk is gone.' }),
  outcomeOf(3, 'pump-3', 'Waiting'),
];
const packageOf = { packageId: 'p1', name: 'Checks', devices: 1 };
const answers: Answers = {
  'GET /v1/devices': { '@odata.count': 3, value: [deviceOf(1, 'pump-1'), deviceOf(2, 'pump-2')] },
  'POST /v1/campaigns/preview': { total: 2, offline: 1, disabled: 0, already: 0, unable: 0 },
  'POST /v1/campaigns/choices': {
    operations: [{ operationId: 'o1', name: 'Measure', packageName: 'Checks', devices: 2, labels: [] }],
    packages: [
      {
        ...packageOf,
        versions: [
          { packageVersionId: 'v2', version: '1.1.0', devices: 0 },
          { packageVersionId: 'v1', version: '1.0.0', devices: 1 },
        ],
      },
    ],
  },
  'POST /v1/campaigns/start': campaign,
  'GET /v1/campaigns': list([campaign]),
  [`GET /v1/campaigns(${campaignId})`]: campaign,
  'GET /v1/campaignDevices': list(outcomes),
  [`POST /v1/campaigns/${campaignId}/stop`]: { ...campaign, state: 'Stopping' },
  [`POST /v1/campaigns/${campaignId}/retryFailed`]: campaign,
};

export const open = (path: string, more: Answers = {}) => renderApp(`/${tenantId}/${path}`, { ...answers, ...more });
export const click = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }));
export const selectAll = async () => {
  await screen.findByRole('link', { name: 'pump-1' });
  fireEvent.click(screen.getByRole('checkbox', { name: /all/i }));
};
export const dialog = async (name: string | RegExp) => within(await screen.findByRole('dialog', { name }));
export const bodyOf = (calls: Awaited<ReturnType<typeof open>>['calls'], what: string) =>
  calls.findLast((call) => call.path === `/v1/campaigns/${what}`)?.body;
