import { Navigate, useLocation } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useContextNow } from '../api/context.ts';
import { EmptyState } from '../components/states.tsx';

/** Navigation state that the menu passes with an address without a tenant: the current tenant. */
export interface FromTenant {
  fromTenant: string | undefined;
}

/** An address without a tenant opens the same screen for the current tenant. */
export function ToCurrentTenant() {
  const { pathname, search, state } = useLocation();
  const now = useContextNow((state as Partial<FromTenant> | null)?.fromTenant);
  if (now.user && now.tenantId) return <Navigate to={`/${now.tenantId}${pathname === '/' ? '' : pathname}${search}`} replace />;
  return now.isKnown ? <EmptyState icon="lock" title={en.auth.deniedTitle} text={en.auth.deniedText} /> : null;
}
