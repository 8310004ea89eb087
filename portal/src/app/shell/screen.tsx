import { Link, Outlet, useLocation } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { usePermissions } from '../../api/lookups.ts';
import { EmptyState } from '../../components/states.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { itemAt } from '../navigation.ts';

function NoAccess() {
  usePageTitle(en.auth.deniedTitle);
  return (
    <EmptyState icon="lock" title={en.auth.deniedTitle} text={en.auth.deniedText}>
      <Link className="btn primary" to="/">
        {en.shell.goHome}
      </Link>
    </EmptyState>
  );
}

/** The screen of the address. Without the permission for it, a notice, also when the permission is removed meanwhile. */
export function Screen() {
  const { pathname } = useLocation();
  const { data: permissions } = usePermissions();
  const looks = itemAt(pathname)?.needs.filter((need) => need.endsWith(':view')) ?? [];
  return permissions && !looks.every((need) => permissions.has(need)) ? <NoAccess /> : <Outlet />;
}
