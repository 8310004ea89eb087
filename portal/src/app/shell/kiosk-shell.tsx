/** The frame of a wall display: signed in and live, without header and menu. */
import { useEffect } from 'react';
import { Outlet } from 'react-router';
import { useQueryClient } from '@tanstack/react-query';
import { startLive } from '../../api/live.ts';
import { liveRules } from '../../entities/live-rules.ts';
import { SignedInOnly } from './signed-in-only.tsx';
import './shell.css';

function Live() {
  const client = useQueryClient();
  useEffect(() => startLive(client, liveRules), [client]);
  return <Outlet />;
}

export function KioskShell() {
  return (
    <SignedInOnly>
      <Live />
    </SignedInOnly>
  );
}
