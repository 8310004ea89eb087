import { useMemo, type ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { RequestFailed } from '../../api/client.ts';
import { KnownPermissions, usePermissions } from '../../api/lookups.ts';
import { usable } from '../../api/see-as.ts';
import { useSession } from '../../api/session.ts';
import { useUnsavedBlocker } from '../../hooks/use-unsaved-guard.ts';
import { loginUrl } from '../../api/request-url.ts';
import { Waiting } from '../sign-in/waiting.tsx';

function Permitted({ children }: { children: ReactNode }) {
  const { data, error } = usePermissions();
  const permissions = useMemo(() => data && usable(data), [data]);
  if (error instanceof RequestFailed && error.status === 403) return <Navigate to="/user/accessDenied" replace />;
  return <KnownPermissions value={permissions}>{children}</KnownPermissions>;
}

/** Renders its children for signed-in people with a permission; redirects others to the sign-in or to "access denied". */
export function SignedInOnly({ children }: { children: ReactNode }) {
  const session = useSession();
  const { pathname, search } = useLocation();
  useUnsavedBlocker();
  if (session.state === 'signed-out') return <Navigate to={loginUrl(pathname + search)} replace />;
  if (session.state !== 'signed-in') return <Waiting state={session.state} />;
  return <Permitted>{children}</Permitted>;
}
