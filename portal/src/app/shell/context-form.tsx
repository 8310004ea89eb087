/** Chooses tenant and subscription: tenants by search, favorites and recently used ones first. */
import { useState, type SyntheticEvent } from 'react';
import { useLocation, useParams } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useSubscriptions } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { addressInTenant } from '../navigation.ts';
import { switchContext } from './switch-context.ts';
import { TenantList } from './tenant-list.tsx';
import './context-form.css';

export interface ContextFormProps {
  tenantId: string;
  subscriptionId: string;
  onDone: () => void;
}

export function ContextForm({ tenantId, subscriptionId, onDone }: ContextFormProps) {
  const { data: subscriptions = [] } = useSubscriptions();
  const { pathname, search } = useLocation();
  const { tenantId: inAddress } = useParams();
  const [tenant, setTenant] = useState(tenantId);
  const [subscription, setSubscription] = useState(subscriptionId);
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const offered = subscriptions.filter((subscription) => subscription.tenantId === tenant);
  const choose = (next: string) => {
    const ofTenant = subscriptions.filter((subscription) => subscription.tenantId === next);
    setTenant(next);
    setSubscription(ofTenant.length === 1 ? (ofTenant[0]?.subscriptionId ?? '') : '');
  };
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    setTried(true);
    if (!tenant || !subscription) return;
    setBusy(true);
    if (await switchContext(tenant, subscription, addressInTenant(pathname + search, inAddress, tenant))) onDone();
    else setBusy(false);
  };
  return (
    <form className="context-form" noValidate onSubmit={(event) => void submit(event)}>
      <TenantList value={tenant} onChange={choose} error={tried && !tenant ? en.shell.tenantRequired : undefined} />
      <Field label={en.shell.subscription} required error={tried && !subscription ? en.shell.subscriptionRequired : undefined}>
        {(aria) => (
          <Select
            {...aria}
            value={subscription}
            disabled={tenant === '' || offered.length === 0}
            none={tenant && offered.length === 0 ? en.shell.noSubscription : en.shell.chooseSubscription}
            choices={offered.map(({ subscriptionId: value, name: label }) => ({ value, label }))}
            onChange={setSubscription}
          />
        )}
      </Field>
      <Button look="primary" type="submit" disabled={busy}>
        {en.shell.switchAction}
      </Button>
    </form>
  );
}
