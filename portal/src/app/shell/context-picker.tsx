import { useState, type SyntheticEvent } from 'react';
import { useLocation, useParams } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useContextNow } from '../../api/context.ts';
import { postContext, useSubscriptions, useTenants } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { nearing, Pop } from '../../components/floating.tsx';
import { Icon } from '../../components/icon.tsx';
import { toast } from '../../components/toasts.tsx';

/** The address of the same screen in another tenant; what was open or filtered there means nothing here. */
export function addressInTenant(pathname: string, from: string | undefined, to: string): string {
  return from && pathname.startsWith(`/${from}`) ? `/${to}${pathname.slice(from.length + 1)}` : pathname === '/' ? `/${to}` : pathname;
}

function ContextForm({ tenantId, subscriptionId, onDone }: { tenantId: string; subscriptionId: string; onDone: () => void }) {
  const { data: tenants = [] } = useTenants();
  const { data: subscriptions = [] } = useSubscriptions();
  const { pathname } = useLocation();
  const { tenantId: inAddress } = useParams();
  const [tenant, setTenant] = useState(tenantId);
  const [subscription, setSubscription] = useState(subscriptionId);
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const offered = subscriptions.filter((one) => one.tenantId === tenant);
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    setTried(true);
    if (!tenant || !subscription) return;
    setBusy(true);
    try {
      await postContext(tenant, subscription);
      onDone();
      window.location.assign(addressInTenant(pathname, inAddress, tenant));
    } catch {
      toast.error(en.shell.switchFailed);
      setBusy(false);
    }
  };
  return (
    <form className="context-form" noValidate onSubmit={(event) => void submit(event)}>
      <Field label={en.shell.tenant} required error={tried && !tenant ? en.shell.tenantRequired : undefined}>
        {(aria) => (
          <select
            className="input"
            {...aria}
            value={tenant}
            onChange={(event) => {
              const next = event.target.value;
              const own = subscriptions.filter((one) => one.tenantId === next);
              setTenant(next);
              setSubscription(own.length === 1 ? (own[0]?.subscriptionId ?? '') : '');
            }}
          >
            <option value="" />
            {tenants.map((one) => (
              <option key={one.tenantId} value={one.tenantId}>
                {one.name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={en.shell.subscription} required error={tried && !subscription ? en.shell.subscriptionRequired : undefined}>
        {(aria) => (
          <select className="input" {...aria} value={subscription} onChange={(event) => setSubscription(event.target.value)}>
            <option value="" />
            {offered.map((one) => (
              <option key={one.subscriptionId} value={one.subscriptionId}>
                {one.name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Button look="primary" type="submit" disabled={busy}>
        {en.shell.switchAction}
      </Button>
    </form>
  );
}

/** Shows tenant and subscription; a click offers others. */
export function ContextPicker() {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const { tenantId } = useParams();
  const now = useContextNow(tenantId);
  return (
    <>
      <button
        type="button"
        className="btn context"
        {...nearing}
        aria-label={`${en.shell.switchContext}: ${now.tenantName ?? ''} / ${now.subscriptionName ?? en.shell.noSubscription}`}
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <b className="ellipsis">{now.tenantName ?? en.shell.loadingTenant}</b>
        <span className="faint sub">/</span>
        <span className="muted ellipsis sub">{now.subscriptionName ?? (now.isKnown ? en.shell.noSubscription : '')}</span>
        <Icon name="down" />
      </button>
      {anchor && (
        <Pop anchor={anchor} label={en.shell.switchContext} onClose={() => setAnchor(null)}>
          <ContextForm tenantId={now.tenantId ?? ''} subscriptionId={now.subscriptionId ?? ''} onDone={() => setAnchor(null)} />
        </Pop>
      )}
    </>
  );
}
