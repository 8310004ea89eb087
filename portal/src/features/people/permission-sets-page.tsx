/** The permission sets, and whether each requires a second factor. */
import { en } from '@cloudfit/contract/messages/en.ts';
import { permissionSetTexts as t } from '@cloudfit/contract/messages/people.en.ts';
import { permissionSets } from '@cloudfit/contract/resources/permission-sets.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { callJson } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { queryClient } from '../../api/query-client.ts';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { fieldColumn } from '../../rows/cells.tsx';
import { ListPage } from '../../resource/list-page.tsx';
import { defineView } from '../../resource/view.ts';

type PermissionSet = Row<typeof permissionSets>;

async function require({ permissionSetId, name }: PermissionSet, requiresPasskey: boolean): Promise<void> {
  try {
    await callJson(`/v1/${permissionSets.name}/${permissionSetId}`, { method: 'POST', body: { requiresPasskey }, quiet: true });
    toast.success(requiresPasskey ? t.on(name) : t.off(name));
  } catch (error) {
    toastFailure(error, t.changeFailed(name));
  }
  await queryClient.invalidateQueries({ queryKey: [permissionSets.name] });
}

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
      onChange={(event) => void require(row, event.target.checked)}
    />
  );
}

const permissionSetsView = defineView({
  resource: permissionSets,
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
  offers: ['list'],
});

export function PermissionSetsPage() {
  return <ListPage view={permissionSetsView} bar={<span className="faint grow">{t.secondFactorHint}</span>} />;
}
