import { eq } from '@cloudfit/contract/query/build.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { versionReportTexts as t } from '@cloudfit/contract/messages/version-report.en.ts';
import type { FieldName, Row } from '@cloudfit/contract/resource.ts';
import { complianceReport } from '@cloudfit/contract/resources/compliance-report.ts';
import { Chip } from '../../components/chips.tsx';
import { fieldColumn } from '../../rows/cells.tsx';
import { defineView, type ViewColumn } from '../../resource/view.ts';

const resource = complianceReport;

export type ReportLine = Row<typeof complianceReport>;

const column = (
  name: FieldName<typeof complianceReport>,
  more: Partial<Omit<ViewColumn<ReportLine>, 'id' | 'sortable'>>,
): ViewColumn<ReportLine> => ({
  ...fieldColumn(resource, name),
  ...more,
});

export const versionReportView = defineView({
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
        <Chip tone={row.versionStatus === 'Current' ? 'ok' : 'warn'} dot>
          {row.versionStatus}
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
      <Chip tone={row.versionStatus === 'Current' ? 'ok' : 'warn'} dot>
        {row.versionStatus}
      </Chip>
      <span className="ellipsis">{`${row.packageName} ${row.installedVersion}`}</span>
    </>
  ),
  base: ({ tenantId }) => [eq(complianceReport, 'tenantId', tenantId)],
  filters: ['versionStatus', 'packageName', 'subscriptionName', 'installedVersion', 'latestVersion', 'deviceName'],
  searchDebounceMs: 250,
  rows: 25,
  exportFile: 'versionreport.csv',
});
