/** The subscriptions of one tenant: create and rename (SUB-001). */
import { eq } from '@cloudfit/contract/query/build.ts';
import { tenantTexts as t } from '@cloudfit/contract/messages/tenants.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { subscriptions } from '@cloudfit/contract/resources/subscriptions.ts';
import { tenants } from '@cloudfit/contract/resources/tenants.ts';
import { failureText, RequestFailed } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { EmptyState, ErrorState } from '../../components/states.tsx';
import type { TableColumn } from '../../components/table/table-column.ts';
import { fieldColumn } from '../../rows/cells.tsx';
import { ResourcePanel } from '../../resource/resource-panel.tsx';
import { keyOf, titleOf } from '../../rows/row.ts';
import { newId, usePanel } from '../../hooks/use-panel.ts';
import { useList, useRow } from '../../rows/use-rows.ts';
import type { View } from '../../resource/view.ts';
import { renewTenants } from './toggle-tenant.ts';
import { subscriptionParam } from './use-subscriptions-panel.ts';

const resource = subscriptions;
const most = 1_000;

const viewOf = (tenantId: string): View<typeof subscriptions> => ({
  resource,
  icon: 'tenants',
  texts: { title: t.subscriptions, saveFailed: t.subscriptionSaveFailed },
  columns: ['name'],
  panelParam: subscriptionParam,
  form: { sections: [{ fields: ['name'] }], wide: ['name'] },
  start: { tenantId },
  onSaved: () => void renewTenants(),
});

function columnsOf(open: (id: string) => void, canEdit: boolean): readonly TableColumn<Row<typeof subscriptions>>[] {
  return [
    {
      ...fieldColumn(resource, 'name'),
      sortable: false,
      width: 160,
      cell: (row) => (
        <button type="button" className="link" onClick={() => open(keyOf(resource, row))}>
          {titleOf(resource, row)}
        </button>
      ),
    },
    { ...fieldColumn(resource, 'subscriptionId'), sortable: false, below: 'md' },
    { ...fieldColumn(resource, 'created'), sortable: false, width: 96, tone: 'soft' },
    {
      id: 'actions',
      header: en.common.actions,
      width: 76,
      align: 'end',
      cell: (row) =>
        canEdit && (
          <IconButton
            small
            icon="edit"
            label={t.editSubscription(titleOf(resource, row))}
            title={en.common.edit}
            onClick={() => open(keyOf(resource, row))}
          />
        ),
    },
  ];
}

export function SubscriptionsPanel({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const may = useMay();
  const { id, open, close } = usePanel(subscriptionParam);
  const tenant = useRow(tenants, tenantId);
  const list = useList(resource, { filter: eq('tenantId', tenantId, 'guid'), orderBy: 'name asc', top: most });
  const rows = list.data?.rows ?? [];
  const error = tenant.error ?? list.error;
  const isGone = tenant.error instanceof RequestFailed && tenant.error.status === 404;
  const retry = () => void Promise.all([tenant.refetch(), list.refetch()]);
  return (
    <>
      <SidePanel
        title={tenant.data ? t.subscriptionsOf(tenant.data.name) : t.subscriptions}
        onClose={onClose}
        footer={
          <>
            {may(resource.area, 'create') && !error && (
              <Button look="primary" icon="plus" onClick={() => open(newId)}>
                {t.createSubscription}
              </Button>
            )}
            <Button onClick={onClose}>{en.common.close}</Button>
          </>
        }
      >
        <div className="body">
          {error ? (
            <ErrorState
              title={isGone ? t.gone : t.subscriptionsFailed}
              text={isGone ? undefined : failureText(error)}
              onRetry={isGone ? undefined : retry}
            />
          ) : list.data && rows.length === 0 ? (
            <EmptyState small title={t.noSubscriptions} text={t.noSubscriptionsText} />
          ) : (
            <div className="subscriptions">
              <DataTable
                label={t.subscriptions}
                columns={columnsOf(open, may(resource.area, 'edit'))}
                rows={rows}
                rowKey={(row) => keyOf(resource, row)}
                rowName={(row) => titleOf(resource, row)}
                sorting={[]}
                onSort={() => undefined}
                openKey={id ?? undefined}
                skeletonRows={list.data ? 0 : 4}
              />
            </div>
          )}
        </div>
      </SidePanel>
      {id && (
        <ResourcePanel
          key={id}
          view={viewOf(tenantId)}
          id={id}
          row={rows.find((row) => keyOf(resource, row) === id)}
          onClose={() => close()}
        />
      )}
    </>
  );
}
