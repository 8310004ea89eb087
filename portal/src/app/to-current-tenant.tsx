import { Navigate, useLocation } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useContextNow } from '../api/context.ts';
import { EmptyState } from '../components/states.tsx';

/** Redirects an address without a tenant to the same screen of the chosen tenant. */
export function ToCurrentTenant() {
  const { pathname, search } = useLocation();
  const now = useContextNow();
  if (now.user && now.tenantId) return <Navigate to={`/${now.tenantId}${pathname === '/' ? '' : pathname}${search}`} replace />;
  return now.isKnown ? <EmptyState icon="lock" title={en.auth.deniedTitle} text={en.auth.deniedText} /> : null;
}
