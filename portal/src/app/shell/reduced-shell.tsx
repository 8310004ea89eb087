/** The frame of the resolution center: its own header, no menu (RC-001, RC-002). */
import { useEffect } from 'react';
import { Link, Outlet } from 'react-router';
import { resolutionCenterEn as t } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useMay } from '../../api/lookups.ts';
import { IconButton } from '../../components/button.tsx';
import { atFirstInput, loadFloating } from '../../components/overlay/floating.tsx';
import { Mark } from '../../components/mark.tsx';
import { toggleMode, useMode } from '../../theme/mode.ts';
import { ConnectionBar } from './connection-bar.tsx';
import { ProfileMenu } from './profile-menu.tsx';
import { SignedInOnly } from './signed-in-only.tsx';
import './shell.css';

/** The product's logo; for people who may view work units, a link to the full portal. */
function Brand() {
  const mayLeave = useMay()('WorkUnits', 'view');
  return mayLeave ? (
    <Link className="brand" to="/" aria-label={t.toPortal} title={t.toPortal}>
      <Mark />
    </Link>
  ) : (
    <span className="brand">
      <Mark />
    </span>
  );
}

export function ReducedShell() {
  const mode = useMode();
  useEffect(() => atFirstInput(() => void loadFloating()), []);
  return (
    <SignedInOnly>
      <ConnectionBar />
      <div className="stage">
        <a className="skip" href="#content">
          {en.common.skip}
        </a>
        <header className="top">
          <Brand />
          <h1>{t.title}</h1>
          <span className="grow" />
          <IconButton
            icon={mode === 'dark' ? 'sun' : 'moon'}
            label={mode === 'dark' ? en.shell.toLight : en.shell.toDark}
            onClick={toggleMode}
          />
          <ProfileMenu />
        </header>
        <main id="content" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </SignedInOnly>
  );
}
