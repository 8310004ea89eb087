import { Link, Outlet, useLocation, useParams } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { usePermissions } from '../../api/lookups.ts';
import { EmptyState } from '../../components/states.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { WhyDenied } from '../../entities/people/why-denied.tsx';
import { itemAt } from '../navigation.ts';

function NoAccess({ missing }: { missing: string | undefined }) {
  const { tenantId } = useParams();
  usePageTitle(en.auth.deniedTitle);
  return (
    <EmptyState icon="lock" title={en.auth.deniedTitle} text={en.auth.deniedText}>
      <WhyDenied missing={missing} tenantId={tenantId} />
      <Link className="btn primary" to="/">
        {en.shell.goHome}
      </Link>
    </EmptyState>
  );
}

/**
 * The screen that the address names, or a notice for a person without the permission to view it. The notice also replaces an
 * open screen when the permission is removed.
 */
export function Screen() {
  const { pathname } = useLocation();
  const { data: permissions } = usePermissions();
  const looks = itemAt(pathname)?.needs.filter((need) => need.endsWith(':view')) ?? [];
  const missing = permissions && looks.find((need) => !permissions.has(need));
  return missing ? <NoAccess missing={missing} /> : <Outlet />;
}
