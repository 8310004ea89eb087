import { Navigate, useLocation } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useCurrentUser, useTenants } from '../api/lookups.ts';
import { EmptyState } from '../components/states.tsx';

/** A bare address opens the same screen for the current tenant. */
export function ToCurrentTenant() {
  const { pathname, search } = useLocation();
  const { data: user, isSuccess } = useCurrentUser();
  const { data: tenants } = useTenants();
  const tenant = user?.tenantId ?? tenants?.[0]?.tenantId;
  if (tenant) return <Navigate to={`/${tenant}${pathname === '/' ? '' : pathname}${search}`} replace />;
  return isSuccess && tenants ? <EmptyState icon="lock" title={en.auth.deniedTitle} text={en.auth.deniedText} /> : null;
}
