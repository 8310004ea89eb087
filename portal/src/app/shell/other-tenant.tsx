/** Says that the screen, opened by a link, is of another tenant than the chosen one, and leads to either. */
import { Link, useLocation, useParams } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { subscriptionIn } from '../../api/context.ts';
import { useSubscriptions, useTenants } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { addressOf, itemAt } from '../navigation.ts';
import { switchContext } from './switch-context.ts';
import { useChosenContext } from './use-chosen-context.ts';

export function OtherTenant() {
  const { tenantId: inAddress } = useParams();
  const { pathname, search } = useLocation();
  const chosen = useChosenContext();
  const { data: tenants } = useTenants();
  const { data: subscriptions } = useSubscriptions();
  const shown = tenants?.find((tenant) => tenant.tenantId === inAddress);
  if (!shown || !chosen.tenantId || !chosen.tenantName || shown.tenantId === chosen.tenantId) return null;
  const subscriptionId = subscriptionIn(shown.tenantId, null, subscriptions ?? [])?.subscriptionId ?? null;
  const item = itemAt(pathname);
  return (
    <div className="notice other-tenant" role="status">
      <span className="grow">{en.shell.otherTenant(shown.name, chosen.tenantName)}</span>
      <Link className="btn small" to={item ? addressOf(item, chosen.tenantId) : `/${chosen.tenantId}`}>
        {en.shell.backToTenant(chosen.tenantName)}
      </Link>
      <Button small onClick={() => void switchContext(shown.tenantId, subscriptionId, pathname + search)}>
        {en.shell.workIn(shown.name)}
      </Button>
    </div>
  );
}
