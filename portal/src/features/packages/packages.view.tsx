import { eq, or } from '@cloudfit/contract/query/build.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { packageTexts as t } from '@cloudfit/contract/messages/packages.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { packages } from '@cloudfit/contract/resources/packages.ts';
import { Chip } from '../../components/chips.tsx';
import { ImpactPanel } from '../../entities/impact/impact-panel.tsx';
import { fieldColumn } from '../../rows/cells.tsx';
import { defineView } from '../../resource/view.ts';
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

export const packagesView = defineView({
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
  ],
  expand: ['tenant'],
  // The server keeps its own packages; they are looked at only.
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
