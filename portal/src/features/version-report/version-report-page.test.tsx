import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, renderApp, tenantId, type ApiCall } from '../../testing/render-app.tsx';

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

it('[VER-004][VER-005] counts devices that are up to date and out of date, each device once', async () => {
  const { calls } = await open('?f.versionStatus=Current&f.packageName=Checks');
  const counters = within(await screen.findByLabelText('Devices', { selector: 'dl' }));
  const counted = async (label: string) => {
    const value = counters.getByText(label).closest('div')?.querySelector('dd');
    await waitFor(() => expect(value?.textContent).not.toBe(''));
    return value?.textContent;
  };
  expect(await counted('Up-to-date devices')).toBe('12');
  expect(await counted('Out-of-date devices')).toBe('3');
  const applied = calls.flatMap((call) => call.query.get('$apply') ?? []);
  const narrowed = `tenantId eq ${tenantId} and packageName eq 'Checks'`;
  expect(applied.toSorted()).toEqual(
    [narrowed, `(${narrowed}) and versionStatus eq 'Outdated'`]
      .map((filter) => `filter(${filter})/aggregate(deviceId with countdistinct as n)`)
      .toSorted(),
  );
});
