/** The permission sets: made, copied and changed here, and whether each requires a second factor. */
import { useMemo, useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { permissionSetTexts as t } from '@cloudfit/contract/messages/people.en.ts';
import { isShippedSet, permissionSets } from '@cloudfit/contract/resources/permission-sets.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { useMay } from '../../api/lookups.ts';
import { changeRow } from '../../api/row-calls.ts';
import { command } from '../../calls/command.ts';
import { newId, usePanel } from '../../hooks/use-panel.ts';
import { fieldColumn } from '../../rows/cells.tsx';
import { GenericPanel, loadGenericPanel } from '../../resource/list-panel.tsx';
import { ListPage } from '../../resource/list-page.tsx';
import { defineView, type PanelProps } from '../../resource/view.ts';
import { PermissionGrid } from './permission-grid.tsx';
import { SetHolders } from './set-holders.tsx';

type PermissionSet = Row<typeof permissionSets>;

/** The resource for the form, where a grid edits the permissions; the declaration has a list. */
const resource = {
  ...permissionSets,
  fields: { ...permissionSets.fields, permissions: { ...permissionSets.fields.permissions, input: 'text' as const } },
};

const require = command(
  ({ row, requiresPasskey }: { row: PermissionSet; requiresPasskey: boolean }) =>
    changeRow(permissionSets, row.permissionSetId, { requiresPasskey }, { quiet: true }),
  {
    done: (_, { row, requiresPasskey }) => (requiresPasskey ? t.on(row.name) : t.off(row.name)),
    failed: ({ row }) => t.changeFailed(row.name),
    refreshes: [permissionSets.name],
  },
);

function Demand({ row }: { row: PermissionSet }) {
  const mayEdit = useMay()('People', 'edit');
  return (
    <input
      type="checkbox"
      role="switch"
      className="switch"
      aria-label={t.required(row.name)}
      disabled={!mayEdit}
      checked={row.requiresPasskey}
      onChange={(event) => void require({ row, requiresPasskey: event.target.checked })}
    />
  );
}

function permissionSetsView(copied: PermissionSet | undefined, copy: (row: PermissionSet) => void) {
  const view = defineView({
    resource,
    icon: 'lock',
    texts: { title: t.title, emptyText: t.emptyText },
    columns: [
      { ...fieldColumn(permissionSets, 'name'), width: 200 },
      { ...fieldColumn(permissionSets, 'description'), width: 300, tone: 'soft' },
      'tenantId',
      {
        id: 'count',
        header: t.permissions,
        width: 110,
        below: 'md',
        align: 'end',
        cell: (row) => row.permissions.length,
        text: (row) => String(row.permissions.length),
      },
      {
        id: 'requiresPasskey',
        header: t.secondFactor,
        width: 130,
        sortable: true,
        cell: (row) => <Demand row={row} />,
        text: (row) => (row.requiresPasskey ? en.common.yesValue : en.common.noValue),
      },
    ],
    expand: ['tenant'],
    filters: ['tenantId', 'requiresPasskey'],
    offers: (row) => (row && isShippedSet(row.permissionSetId) ? ['list'] : permissionSets.verbs),
    actions: (row, { may }) => (may('create') ? [{ id: 'copy', label: t.copy, icon: 'copy', run: () => copy(row) }] : []),
    form: {
      sections: [{ fields: ['name', 'tenantId', 'description', 'requiresPasskey', 'permissions'] }],
      wide: ['permissions'],
      inputs: { permissions: PermissionGrid },
      check: ({ permissions }): { permissions?: string } =>
        Array.isArray(permissions) && permissions.length > 0 ? {} : { permissions: t.nothingChosen },
    },
    start: copied
      ? { name: t.copyName(copied.name), description: copied.description, permissions: [...copied.permissions] }
      : { permissions: [] },
    panelTop: (row) => <SetHolders permissionSetId={row.permissionSetId} />,
  });
  const locked = (row: PermissionSet) => (isShippedSet(row.permissionSetId) ? t.shipped : undefined);
  const Component = (props: PanelProps<ExpandedRow<typeof resource, 'tenant'>>) => <GenericPanel {...props} view={view} locked={locked} />;
  return { ...view, panel: { Component, load: loadGenericPanel } };
}

export function PermissionSetsPage() {
  const { id, open } = usePanel();
  const [copied, setCopied] = useState<PermissionSet>();
  const [shown, setShown] = useState(id);
  if (id !== shown) {
    setShown(id);
    // The copied set only fills the form that Copy opens, not the next new set.
    if (id !== newId) setCopied(undefined);
  }
  const view = useMemo(
    () =>
      permissionSetsView(copied, (row) => {
        setCopied(row);
        open(newId);
      }),
    [copied, open],
  );
  return <ListPage view={view} bar={<span className="faint grow">{t.secondFactorHint}</span>} />;
}
