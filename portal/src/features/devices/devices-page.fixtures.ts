/** Devices with their installations, and how the tests open their page. */
import { fireEvent, screen, within } from '@testing-library/react';
import { list, renderApp, subscriptionId, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

export const deviceOf = (n: number, name: string, more: object = {}) => ({
  deviceId: `01a1fcdb-e331-70c1-ba47-0000000000d${n}`,
  name,
  tenantId,
  tenant: { tenantId, name: 'Northwind Energy' },
  subscriptionId,
  subscription: { subscriptionId, name: 'Grid operations' },
  locationId: null,
  location: null,
  description: 'In the cabinet',
  tags: null,
  deviceTypeId: 2,
  operatingSystemId: 4,
  deviceLoggingLevelId: 0,
  heartbeatInterval: 60,
  enabled: true,
  restartAgentFlag: false,
  traceMinutes: 0,
  traceExpiration: null,
  modified: '2026-05-01T08:00:00.000Z',
  ...more,
});
export const pump = deviceOf(1, 'pump-4');
export const gateway = deviceOf(2, 'gateway-1', { restartAgentFlag: true });
export const wrong = deviceOf(4, 'clock-9', { clockSkewSeconds: -660 });
export const meter = deviceOf(3, 'meter-2', { traceExpiration: new Date(Date.now() + 600_000).toISOString() });
export const id = pump.deviceId;
export const now = new Date().toISOString();
export const packet = {
  entityId: id,
  tenantId,
  timestamp: now,
  receivedTimestamp: now,
  message: { Metrics: { Cpu: 41.26, Memory: 70 }, Properties: { AgentVersion: '1.0.0' } },
};
const entry = {
  logEntryId: 7,
  created: now,
  entryType: 'Warning',
  detail: 'The disk is nearly full.',
  deviceOperation: { label: 'Disk space' },
};
export const installOf = (packageId: string, packageName: string, more: object) => ({
  installPackage: {
    packageId,
    packageName,
    packageVersionId: null,
    installedVersionId: null,
    statusDetail: null,
    progress: null,
    statusChanged: null,
    failure: null,
    failed: null,
    operations: 0,
    operationLabels: [],
    ...more,
  },
  packageVersions: [
    { version: '1.1.0', packageVersionId: `${packageId}-v2` },
    { version: '1.0.0', packageVersionId: `${packageId}-v1` },
  ],
});
export const installs = [
  installOf('p1', 'Checks', { packageVersionId: 'p1-v1', installedVersionId: 'p1-v1', installStatus: 'Installed' }),
  installOf('p2', 'System metrics', { packageVersionId: 'p2-v2', installStatus: 'AvailableForInstall' }),
];
export const installsPath = `/v1/devices/GetPackageInstallsWithVersions(deviceId=${id})`;
export const savePath = `/v1/deviceInstallations/${id}/packages`;
export const tracePath = `/v1/devices/${id}/toggleTrace/60`;
export const restartPath = `/v1/devices/${id}/restartagent`;
export const logsPath = `/v1/devices/${id}/logs`;
export const answers: Answers = {
  'GET /v1/devices': { '@odata.count': 120, value: [gateway, meter, pump] },
  [`GET /v1/devices(${id})`]: pump,
  [`POST /v1/devices/${id}`]: pump,
  [`DELETE /v1/devices/${id}`]: () => new Response(null, { status: 204 }),
  [`POST ${tracePath}`]: { ...pump, traceMinutes: 60 },
  [`POST ${restartPath}`]: { ...pump, restartAgentFlag: true },
  [`GET ${logsPath}`]: list([entry]),
  [`GET ${installsPath}`]: { value: installs },
  'GET /v1/packets': list([packet]),
  'POST /v1/series': ({ body }: ApiCall) => {
    const { series } = body as { series: { entityId: string; metric: string }[] };
    const buckets = [
      [Date.now() - 120_000, 10, 12, 14, 12, 2],
      [Date.now() - 60_000, 30, 41, 44, 41, 2],
    ];
    return { step: 60_000, series: series.map((item) => ({ ...item, kind: 'number', buckets, bands: [], gap: 300_000 })) };
  },
};

export const open = (query = '', more: Answers = {}) => renderApp(`/${tenantId}/devices${query}`, { ...answers, ...more });
export const dialog = async (name: string | RegExp) => within(await screen.findByRole('dialog', { name }));
export const sent = (calls: readonly ApiCall[], method: string, path: string) =>
  calls.filter((call) => call.method === method && call.path === path);
export const menuOf = async (name: string) => {
  fireEvent.click(await screen.findByRole('button', { name: `Actions for ${name}` }));
  return within(await screen.findByRole('menu'));
};
export const choose = async (name: string, action: string) => fireEvent.click((await menuOf(name)).getByRole('menuitem', { name: action }));
