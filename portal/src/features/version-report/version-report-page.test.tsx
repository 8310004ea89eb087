import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, renderApp, subscriptionId, tenantId, type ApiCall } from '../../testing/render-app.tsx';
import { columnsOf } from './versions.ts';

const packageId = '01a1fcdb-0000-7000-8000-0000000000c1';
const deviceId = '01a1fcdb-0000-7000-8000-0000000000d1';
const row = (n: number, over: Record<string, unknown> = {}) => ({
  complianceReportId: `01a1fcdb-0000-7000-8000-00000000000${n}`,
  deviceId,
  deviceName: 'gateway-1',
  tenantId,
  tenantName: 'Northwind Energy',
  subscriptionName: 'Grid operations',
  packageName: 'System metrics',
  versionStatus: 'Outdated',
  installedVersion: '1.0.0',
  installedVersionReleased: '2026-10-01T00:00:00.000Z',
  latestVersion: '1.1.0',
  latestVersionReleased: '2026-11-01T00:00:00.000Z',
  ...over,
});
const rows = [row(1), row(2, { packageName: 'Checks', versionStatus: 'Current', installedVersion: '2.3.4', latestVersion: '2.3.4' })];

function answer({ query }: ApiCall) {
  const apply = query.get('$apply');
  if (apply?.includes('packageName,latestVersion'))
    return { value: [{ packageId, packageName: 'System metrics', latestVersion: '1.1.0', n: 1 }] };
  if (apply?.includes('groupby((deviceId))')) return { value: [{ deviceId }] };
  if (apply) return { value: [{ n: apply.includes("versionStatus eq 'Outdated'") ? 3 : 15 }] };
  return list(rows);
}
const open = (query = '') => renderApp(`/${tenantId}/versionreport${query}`, { 'GET /v1/complianceReport': answer });

beforeEach(() => localStorage.clear());

it('is a grid of installed versions, 25 rows to a page', async () => {
  const { calls, search, router } = await open();
  const link = (await screen.findAllByRole('link', { name: 'gateway-1' }))[0] as HTMLElement;
  await proves('[VER-002] stands at its address', () => expect(document.title).toBe('Version Report - CloudFit Software'));
  await proves('[VER-003] has these columns', () =>
    expect(screen.getAllByRole('columnheader').map((cell) => cell.textContent?.replace(/\d$/, ''))).toEqual([
      'Device Name',
      'Tenant',
      'Subscription',
      'Package Name',
      'Version Status',
      'Installed Version',
      'Installed Released',
      'Latest Version',
      'Latest Released',
    ]),
  );
  const cells = within(link.closest('tr') as HTMLElement);
  await proves('[VER-001] compares what is installed with the latest', () => {
    for (const text of ['Northwind Energy', 'Grid operations', 'System metrics', 'Outdated', '1.0.0', '1.1.0'])
      expect(cells.getAllByText(text).length).toBeGreaterThan(0);
  });
  const lastQuery = () => calls.findLast((call) => call.path === '/v1/complianceReport' && !call.query.has('$apply'))?.query;
  await proves('[VER-007] begins with 25 rows', () => expect(lastQuery()?.get('$top')).toBe('25'));
  expect(lastQuery()?.get('$filter')).toBe(`tenantId eq ${tenantId}`);
  const pages = screen.getByLabelText<HTMLSelectElement>('Rows per page', { selector: 'select' });
  await proves('[VER-006] offers these sizes of a page', () =>
    expect([...pages.options].map((option) => option.text)).toEqual(['25', '50', '100']),
  );
  fireEvent.change(pages, { target: { value: '50' } });
  await waitFor(() => expect(lastQuery()?.get('$top')).toBe('50'));
  expect(search().get('rows')).toBe('50');
  fireEvent.click(link);
  await waitFor(() => expect(router.state.location.pathname + router.state.location.search).toBe(`/${tenantId}/devices?id=${deviceId}`));
});

it('counts devices that are up to date and out of date, each device once', async () => {
  const { calls } = await open('?f.versionStatus=Current&f.packageName=Checks');
  const counters = within(await screen.findByLabelText('Devices', { selector: 'dl' }));
  const counted = async (label: string) => {
    const value = counters.getByText(label).closest('div')?.querySelector('dd');
    await waitFor(() => expect(value?.textContent).not.toBe(''));
    return value?.textContent;
  };
  await proves('[VER-004] up to date', async () => expect(await counted('Up-to-date devices')).toBe('12'));
  await proves('[VER-005] out of date', async () => expect(await counted('Out-of-date devices')).toBe('3'));
  const applied = calls.flatMap((call) => call.query.get('$apply') ?? []);
  const narrowed = `tenantId eq ${tenantId} and packageName eq 'Checks'`;
  expect(applied.filter((text) => !text.includes('groupby')).toSorted()).toEqual(
    [narrowed, `(${narrowed}) and versionStatus eq 'Outdated'`]
      .map((filter) => `filter(${filter})/aggregate(deviceId with countdistinct as n)`)
      .toSorted(),
  );
});

it('updates the outdated devices of a package by a campaign', async () => {
  const packageVersionId = '01a1fcdb-0000-7000-8000-0000000000e1';
  const started = { kind: 'InstallVersion', tenantId, deviceIds: [deviceId], packageId, packageVersionId };
  const version = { packageVersionId, version: '1.1.0', devices: 0 };
  const { calls } = await renderApp(`/${tenantId}/versionreport?f.subscriptionName=Grid operations`, {
    'GET /v1/complianceReport': answer,
    'GET /v1/packageVersions': list([{ packageVersionId }]),
    'POST /v1/campaigns/choices': { operations: [], packages: [{ packageId, name: 'System metrics', devices: 1, versions: [version] }] },
    'POST /v1/campaigns/preview': { total: 1, offline: 0, already: 0, unable: 0, disabled: 0 },
    'POST /v1/campaigns/start': { campaignId: '01a1fcdb-0000-7000-8000-0000000000f1' },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Update outdated' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'System metrics to 1.1.0 on 1 device' }));
  const dialog = within(await screen.findByRole('dialog'));
  await waitFor(() => expect(calls.find(({ path }) => path === '/v1/campaigns/preview')?.body).toMatchObject(started));
  const applied = calls.findLast(({ query }) => query.get('$apply')?.includes('groupby((deviceId))'))?.query.get('$apply');
  expect(applied).toContain("subscriptionName eq 'Grid operations'");
  expect(applied).toContain(`packageId eq ${packageId} and latestVersion eq '1.1.0'`);
  const start = await dialog.findByRole<HTMLButtonElement>('button', { name: /1 device/ });
  await waitFor(() => expect(start.disabled).toBe(false));
  fireEvent.click(start);
  await waitFor(() => expect(calls.find(({ path }) => path === '/v1/campaigns/start')?.body).toMatchObject(started));
});

it('updates in the subscription of the header when the list is not filtered by subscription', async () => {
  const { calls } = await renderApp(`/${tenantId}/versionreport`, {
    'GET /v1/complianceReport': answer,
    'GET /v1/packageVersions': list([{ packageVersionId: '01a1fcdb-0000-7000-8000-0000000000e1' }]),
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Update outdated in Grid operations' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'System metrics to 1.1.0 on 1 device' }));
  await waitFor(() => {
    const applied = calls.flatMap(({ query }) => query.get('$apply') ?? []).filter((apply) => apply.includes('groupby((deviceId))'));
    expect(applied).toHaveLength(1);
    expect(applied[0]).toContain(`subscriptionId eq ${subscriptionId}`);
  });
});

const counted = {
  packages: [{ packageId, packageName: 'Checks' }],
  packageId,
  versions: ['1.10.0', '1.9.0'],
  days: [
    { day: '2026-10-31', devices: [0, 4] },
    { day: '2026-11-02', devices: [1, 3] },
    { day: '2026-11-05', devices: [3, 1] },
  ],
};

it('has its title when the chart is opened by its address', async () => {
  await renderApp(`/${tenantId}/versionreport?view=time`, { 'GET /v1/complianceReport/GetVersionsOverTime(days=30)': counted });
  await screen.findByRole('heading', { level: 1, name: 'Version Report' });
});

it('shows versions over time as a chart, as shares and as a table, by day and by week', async () => {
  const path = (days: number) => `/v1/complianceReport/GetVersionsOverTime(days=${days})`;
  const { calls, search } = await renderApp(`/${tenantId}/versionreport`, {
    'GET /v1/complianceReport': answer,
    [`GET ${path(30)}`]: counted,
    [`GET ${path(84)}`]: counted,
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Over time' }));
  const chart = await screen.findByRole('group', { name: /^Checks: devices by version/ });
  expect(chart.getAttribute('aria-label')).toContain('1.10.0 is 3, between 0 and 3; 1.9.0 is 1, between 1 and 4');
  expect(calls.find(({ path: of }) => of === path(30))?.query.get('tenantId')).toBe(tenantId);

  fireEvent.click(screen.getByRole('button', { name: 'Share of devices' }));
  fireEvent.click(screen.getByRole('button', { name: 'Show as table' }));
  const table = within(await screen.findByRole('region', { name: 'Checks: devices by version as a table' }));
  const cells = () => table.getAllByRole('row').map((row) => [...row.children].map((cell) => cell.textContent));
  expect(cells()[1]?.slice(1)).toEqual(['75 %', '25 %']);
  fireEvent.change(screen.getByLabelText('Time shown'), { target: { value: '84' } });
  // A week is named by its Monday, and has the counts of its last counted day.
  await waitFor(() =>
    expect(cells()).toEqual([
      ['Week (UTC)', '1.10.0', '1.9.0'],
      ['Nov 2, 2026', '75 %', '25 %'],
      ['Oct 26, 2026', '0 %', '100 %'],
    ]),
  );
  expect(search().get('days')).toBe('84');
  fireEvent.click(screen.getByRole('button', { name: 'Show the list' }));
  expect((await screen.findAllByRole('columnheader')).length).toBeGreaterThan(3);
});

it('adds up the versions with fewest devices', () => {
  const versions = ['8', '7', '6', '5', '4', '3', '2', '1'];
  const of = columnsOf({ versions, days: [{ day: '2026-11-02', devices: [1, 9, 8, 7, 6, 5, 4, 2] }] }, (n) => `${n} others`);
  expect(of).toEqual({ names: ['7', '6', '5', '4', '3', '2', '2 others'], days: [{ day: '2026-11-02', devices: [9, 8, 7, 6, 5, 4, 3] }] });
});
