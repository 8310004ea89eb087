import { useMemo } from 'react';
import { Link } from 'react-router';
import { tenantGroupTexts as groupTexts } from '@cloudfit/contract/messages/tenant-groups.en.ts';
import { useMay } from '../../api/lookups.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { SubscriptionsPanel } from './subscriptions-panel.tsx';
import { tenantsView } from './tenants.view.tsx';
import { useSubscriptionsPanel } from './use-subscriptions-panel.ts';
import './tenants.css';

/** The list is rendered last, so that the panel of a tenant covers the panel of its subscriptions. */
export function TenantsPage() {
  const maySeeSubscriptions = useMay()('Subscriptions', 'view');
  const { tenantId, open, close } = useSubscriptionsPanel();
  const view = useMemo(() => tenantsView({ openSubscriptions: open, maySeeSubscriptions }), [open, maySeeSubscriptions]);
  return (
    <>
      {tenantId && <SubscriptionsPanel key={tenantId} tenantId={tenantId} onClose={close} />}
      <ListPage
        view={view}
        bar={() => (
          <Link className="btn small" to="/tenantgroups">
            {groupTexts.title}
          </Link>
        )}
      />
    </>
  );
}
