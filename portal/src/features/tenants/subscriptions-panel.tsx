/** The subscriptions of one tenant: create and rename (SUB-001). */
import { tenantTexts as t } from '@cloudfit/contract/messages/tenants.en.ts';
import { subscriptions } from '@cloudfit/contract/resources/subscriptions.ts';
import { tenants } from '@cloudfit/contract/resources/tenants.ts';
import { ChildrenPanel } from '../../resource/children-panel.tsx';
import { fieldColumn } from '../../rows/cells.tsx';
import { useRow } from '../../rows/use-rows.ts';
import type { View } from '../../resource/view.ts';
import { renewTenants } from './toggle-tenant.ts';
import { subscriptionParam } from './use-subscriptions-panel.ts';

const resource = subscriptions;

const viewOf = (tenantId: string): View<typeof subscriptions> => ({
  resource,
  icon: 'tenants',
  texts: { title: t.subscriptions, saveFailed: t.subscriptionSaveFailed },
  columns: ['name'],
  panelParam: subscriptionParam,
  form: { sections: [{ fields: ['name'] }], wide: ['name'] },
  start: { tenantId },
});

const columns = [
  { ...fieldColumn(resource, 'subscriptionId'), sortable: false, below: 'md' as const },
  { ...fieldColumn(resource, 'created'), sortable: false, width: 96, tone: 'soft' as const },
];

const texts = {
  titleOf: t.subscriptionsOf,
  removedText: t.notFound,
  failed: t.subscriptionsFailed,
  none: t.noSubscriptions,
  noneText: t.noSubscriptionsText,
  create: t.createSubscription,
  edit: t.editSubscription,
};

export function SubscriptionsPanel({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const tenant = useRow(tenants, tenantId);
  return (
    <ChildrenPanel
      parent={tenant}
      parentId={tenantId}
      parentField="tenantId"
      view={viewOf(tenantId)}
      onSaved={() => void renewTenants()}
      columns={columns}
      texts={texts}
      onClose={onClose}
    />
  );
}
