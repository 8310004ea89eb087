import { Navigate, useLocation } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useContextNow } from '../api/context.ts';
import { EmptyState } from '../components/states.tsx';

/** A bare address opens the same screen for the current tenant. */
export function ToCurrentTenant() {
  const { pathname, search } = useLocation();
  const { user, tenantId, isKnown } = useContextNow();
  if (user && tenantId) return <Navigate to={`/${tenantId}${pathname === '/' ? '' : pathname}${search}`} replace />;
  return isKnown ? <EmptyState icon="lock" title={en.auth.deniedTitle} text={en.auth.deniedText} /> : null;
}
