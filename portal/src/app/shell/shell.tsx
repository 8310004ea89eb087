/** The frame around every screen: menu, header, and what only a signed-in person may see. */
import { useEffect } from 'react';
import { Navigate, useLocation } from 'react-router';
import { useQueryClient } from '@tanstack/react-query';
import { en } from '@cloudfit/contract/messages/en.ts';
import { viewMine, permission } from '@cloudfit/contract/permissions.ts';
import { RequestFailed } from '../../api/client.ts';
import { startLive } from '../../api/live.ts';
import { usePermissions } from '../../api/lookups.ts';
import { useSession } from '../../api/session.ts';
import { loginUrl } from '../sign-in/request-url.ts';
import { Waiting } from '../sign-in/waiting.tsx';
import { loadFloatingSoon } from '../../components/floating.tsx';
import { Header } from './header.tsx';
import { MenuDrawer } from './menu-drawer.tsx';
import { useDrawer } from './use-drawer.ts';
import { useShellKeys } from './use-shell-keys.ts';
import { Overlays } from './overlays.tsx';
import { Screen } from './screen.tsx';
import { useOverlay } from './use-overlay.ts';
import './shell.css';

export function Shell() {
  const session = useSession();
  const { pathname, search } = useLocation();
  if (session.state === 'signed-out') return <Navigate to={loginUrl(pathname + search)} replace />;
  if (session.state !== 'signed-in') return <Waiting state={session.state} />;
  return <SignedIn />;
}

function SignedIn() {
  const client = useQueryClient();
  const permissions = usePermissions();
  const drawer = useDrawer();
  const overlay = useOverlay();
  useShellKeys(overlay.name, overlay.show, overlay.close);
  useEffect(() => startLive(client), [client]);
  useEffect(loadFloatingSoon, []);

  if (permissions.error instanceof RequestFailed && permissions.error.status === 403) return <Navigate to="/user/accessDenied" replace />;
  if (permissions.data?.has(viewMine) && !permissions.data.has(permission('WorkUnits', 'view')))
    return <Navigate to="/resolutioncenter" replace />;
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {en.common.skip}
      </a>
      <MenuDrawer drawer={drawer} onLicense={() => overlay.show('license')} />
      <div className="stage">
        <Header drawer={drawer} onOverlay={overlay.show} />
        <main id="content" tabIndex={-1}>
          <Screen />
        </main>
      </div>
      <Overlays name={overlay.name} onShow={overlay.show} onClose={overlay.close} />
    </div>
  );
}
