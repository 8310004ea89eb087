import { Navigate, useLocation } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useContextNow } from '../api/context.ts';
import { EmptyState } from '../components/states.tsx';

/** Navigation state that passes the current tenant along with an address that has no tenant, such as one of the menu. */
export interface FromTenant {
  fromTenant: string | undefined;
}

/** Redirects an address without a tenant to the same screen of the current tenant. */
export function ToCurrentTenant() {
  const { pathname, search, state } = useLocation();
  const now = useContextNow((state as Partial<FromTenant> | null)?.fromTenant);
  if (now.user && now.tenantId) return <Navigate to={`/${now.tenantId}${pathname === '/' ? '' : pathname}${search}`} replace />;
  return now.isKnown ? <EmptyState icon="lock" title={en.auth.deniedTitle} text={en.auth.deniedText} /> : null;
}
