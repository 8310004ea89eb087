import { Link } from 'react-router';
import { eq, or } from '@cloudfit/contract/query/build.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { packageTexts as t } from '@cloudfit/contract/messages/packages.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { complianceReport } from '@cloudfit/contract/resources/compliance-report.ts';
import { packages } from '@cloudfit/contract/resources/packages.ts';
import { Chip } from '../../components/chips.tsx';
import { countText } from '../../components/count.ts';
import { ImpactPanel } from '../../entities/impact/impact-panel.tsx';
import { countingBy, rowCounts, useRowCount, type RowCountQuery } from '../../entities/row-counts.ts';
import { initialState, listAddress } from '../../filters/list-state.ts';
import type { MenuEntry } from '../../components/overlay/floating-props.ts';
import { fieldColumn } from '../../rows/cells.tsx';
import { defineView, type ViewColumn } from '../../resource/view.ts';
import { OperationsTab } from './operations-tab.tsx';
import { SystemsInput, systemsText } from './operating-systems.tsx';
import { VersionsTab } from './versions-tab.tsx';
import './packages.css';

const resource = packages;
const systems = packages.fields.operatingSystemRidsId.label;
const systemsOf = (row: Row<typeof packages>) => systemsText(row.operatingSystemRidsId);

const BuiltInMark = () => (
  <span className="built-in-mark">
    <Chip title={t.builtInTitle}>{t.builtIn}</Chip>
  </span>
);

const report = { resource: complianceReport, filters: ['packageName'] };

/** Returns the address of the tenant's version report, filtered by a package. */
function reportOf(tenantId: string, packageName: string): string {
  const params = listAddress(report).write(new URLSearchParams(), { ...initialState(report), filters: { packageName: [packageName] } });
  return `/${tenantId}/versionreport?${params}`;
}

interface InstalledOnProps {
  counting: RowCountQuery;
  tenantId: string | null;
  row: Pick<Row<typeof packages>, 'packageId' | 'name'>;
}

function InstalledOn({ counting, tenantId, row }: InstalledOnProps) {
  const count = useRowCount(counting, row.packageId);
  if (count === undefined) return null;
  if (!tenantId || count === 0) return <span className="num">{countText(count)}</span>;
  return (
    <Link className="num" to={reportOf(tenantId, row.name)} aria-label={t.installedOn(row.name, countText(count))}>
      {countText(count)}
    </Link>
  );
}

function installedColumn(tenantId: string | null): ViewColumn<Row<typeof packages>> {
  const counting = countingBy(complianceReport, 'packageId', tenantId ? eq(complianceReport, 'tenantId', tenantId) : undefined);
  return {
    id: 'installedOn',
    header: t.installed,
    width: 100,
    below: 'md',
    cell: (row) => <InstalledOn counting={counting} tenantId={tenantId} row={row} />,
    texts: async () => {
      const textOf = await rowCounts(counting);
      return ({ packageId }) => textOf(packageId);
    },
  };
}

/** The packages of a tenant, or of all tenants, with the actions of a row. */
export const packagesView = (tenantId: string | null, actions: (row: Row<typeof packages>) => readonly MenuEntry[]) =>
  defineView({
    resource,
    icon: 'packages',
    // PKG-022: a failed save is only logged; the form keeps what was typed.
    texts: { title: en.shell.items.packages, emptyText: t.emptyText, saveFailed: null, actions: t.edit },
    columns: [
      { ...fieldColumn(resource, 'name'), after: (row) => row.isBuiltIn && <BuiltInMark /> },
      { id: 'operatingSystemRidsId', header: systems, width: 230, below: 'sm', cell: systemsOf, text: systemsOf },
      { ...fieldColumn(resource, 'packageTypeId'), width: 140 },
      { ...fieldColumn(resource, 'executableTypeId'), width: 140 },
      { ...fieldColumn(resource, 'tenantId'), tone: 'soft' },
      installedColumn(tenantId),
    ],
    actions,
    expand: ['tenant'],
    // The server maintains its own packages; people can only view them.
    offers: (row) => (row?.isBuiltIn ? ['list'] : resource.verbs),
    base: ({ tenantId }) => [tenantId ? or(eq(packages, 'tenantId', tenantId), eq(packages, 'tenantId', null)) : undefined],
    filters: ['packageTypeId', 'executableTypeId'],
    impact: (row, change) => <ImpactPanel entity="packages" id={row.packageId} change={change} />,
    form: {
      sections: [
        {
          fields: [
            'name',
            'tenantId',
            'packageTypeId',
            'executableTypeId',
            'executableName',
            'operatingSystemRidsId',
            'referenceUrl',
            'description',
          ],
        },
      ],
      wide: ['operatingSystemRidsId', 'referenceUrl'],
      inputs: { operatingSystemRidsId: SystemsInput },
      help: { operatingSystemRidsId: t.systemsHelp },
    },
    tabs: {
      form: t.tabs.form,
      others: [
        { id: 'operations', label: t.tabs.operations, Body: OperationsTab },
        { id: 'versions', label: t.tabs.versions, Body: VersionsTab },
      ],
    },
  });
