/** The frame around the screens of a signed-in person: menu, header and overlays. */
import { useEffect } from 'react';
import { Navigate, useLocation } from 'react-router';
import { useQueryClient } from '@tanstack/react-query';
import { en } from '@cloudfit/contract/messages/en.ts';
import { startLive } from '../../api/live.ts';
import { seesOwnOnly, usePermissions } from '../../api/lookups.ts';
import { liveRules } from '../../entities/live-rules.ts';
import { atFirstInput, loadFloating } from '../../components/overlay/floating.tsx';
import { ConnectionBar } from './connection-bar.tsx';
import { Header } from './header.tsx';
import { MenuDrawer } from './menu-drawer.tsx';
import { useDrawer } from './use-drawer.ts';
import { contentElement, contentId, useShellKeys } from './use-shell-keys.ts';
import { Overlays, palette } from './overlays.tsx';
import { OtherTenant } from './other-tenant.tsx';
import { Screen } from './screen.tsx';
import { SignedInOnly } from './signed-in-only.tsx';
import { useFirstTenant } from './use-chosen-context.ts';
import { useOverlay } from './use-overlay.ts';
import './shell.css';

export function Shell() {
  return (
    <SignedInOnly>
      <SignedIn />
    </SignedInOnly>
  );
}

/** Focuses another screen if no element of the page has the focus: otherwise the next Tab would start in the menu. */
function useFocusOnScreen() {
  const { pathname, key } = useLocation();
  // The first screen is that of a page that has just loaded.
  const isFirst = key === 'default';
  useEffect(() => {
    const active = document.activeElement;
    if (!isFirst && (active === document.body || active?.closest('.palette'))) contentElement()?.focus({ preventScroll: true });
  }, [pathname, isFirst]);
}

function SignedIn() {
  const client = useQueryClient();
  const permissions = usePermissions();
  const drawer = useDrawer();
  const overlay = useOverlay();
  useFirstTenant();
  useFocusOnScreen();
  useShellKeys(overlay.name, overlay.show, overlay.close);
  useEffect(() => startLive(client, liveRules), [client]);
  useEffect(() => atFirstInput(() => void Promise.all([loadFloating(), palette.load()])), []);

  if (permissions.data && seesOwnOnly([...permissions.data])) return <Navigate to="/resolutioncenter" replace />;
  return (
    <div className="shell">
      <ConnectionBar />
      <a className="skip" href={`#${contentId}`}>
        {en.common.skip}
      </a>
      <MenuDrawer drawer={drawer} onLicense={() => overlay.show('license')} />
      <div className="stage">
        <Header drawer={drawer} onOverlay={overlay.show} />
        <OtherTenant />
        <main id={contentId} tabIndex={-1}>
          <Screen />
        </main>
      </div>
      <Overlays name={overlay.name} onShow={overlay.show} onClose={overlay.close} />
    </div>
  );
}
