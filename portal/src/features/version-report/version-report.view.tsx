import { eq } from '@cloudfit/contract/query/build.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { versionReportTexts as t } from '@cloudfit/contract/messages/version-report.en.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { complianceReport } from '@cloudfit/contract/resources/compliance-report.ts';
import { Chip } from '../../components/chips.tsx';
import { fieldColumn } from '../../resource/cells.tsx';
import type { AnyRow } from '../../resource/row.ts';
import type { View, ViewColumn } from '../../resource/view.ts';

const resource = complianceReport as unknown as Resource;

const column = (name: string, more: Partial<ViewColumn<AnyRow>>): ViewColumn<AnyRow> => ({ ...fieldColumn(resource, name), ...more });

const statusOf = (row: AnyRow) => String(row['versionStatus']);

export const versionReportView: View = {
  resource,
  icon: 'report',
  texts: { title: en.shell.items.versionReport, emptyText: t.emptyText },
  columns: [
    'deviceName',
    column('tenantName', { width: 124, tone: 'soft' }),
    column('subscriptionName', { width: 112, tone: 'soft' }),
    column('packageName', { width: 140 }),
    {
      ...column('versionStatus', { width: 116 }),
      cell: (row) => (
        <Chip tone={row['versionStatus'] === 'Current' ? 'ok' : 'warn'} dot>
          {statusOf(row)}
        </Chip>
      ),
    },
    column('installedVersion', { width: 124 }),
    column('installedVersionReleased', { header: t.installedReleased, width: 128 }),
    column('latestVersion', { width: 108 }),
    column('latestVersionReleased', { header: t.latestReleased, width: 118 }),
  ],
  phoneLine: (row) => (
    <>
      <Chip tone={row['versionStatus'] === 'Current' ? 'ok' : 'warn'} dot>
        {statusOf(row)}
      </Chip>
      <span className="ellipsis">{`${String(row['packageName'])} ${String(row['installedVersion'])}`}</span>
    </>
  ),
  base: ({ tenantId }) => [eq('tenantId', tenantId, 'guid')],
  filters: ['versionStatus', 'packageName', 'subscriptionName', 'installedVersion', 'latestVersion', 'deviceName'],
  filterAmong: ['packageName', 'subscriptionName', 'installedVersion', 'latestVersion'],
  rows: 25,
  sizes: [25, 50, 100],
  leadsTo: (row) => `/${String(row['tenantId'])}/devices?id=${String(row['deviceId'])}`,
  exportFile: 'versionreport.csv',
};
