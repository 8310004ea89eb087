/** The frame of a wall screen: no menus, the whole window, what it shows and how old it is. */
import { useEffect, type ReactNode } from 'react';
import { dashboardTexts } from '@cloudfit/contract/messages/dashboards.en.ts';
import { useConnection } from '../../api/connection.ts';
import { Button } from '../../components/button.tsx';
import { span, useNow } from '../../components/relative-time.tsx';
import { clockTime } from '../../theme/times.ts';
import { OnWall } from './wall-pages.tsx';
import './dashboards.css';

const t = dashboardTexts.wall;
/** If the last data is younger than this, in milliseconds, the notice about a lost connection states no age. */
const justNowMs = 5_000;
/** What is older than this, in milliseconds, is shown as stale: at least two readings have failed. */
const staleMs = 60_000;

/** Whether data that came at this time says nothing about now; 0: nothing has come yet. */
export function useIsStale(readAt: number): boolean {
  const now = useNow();
  const { isLost } = useConnection();
  return readAt > 0 && now - readAt > (isLost ? justNowMs : staleMs);
}

/** Keeps the wall screen on, if the browser allows it. */
function useScreenOn() {
  useEffect(() => {
    let lock: WakeLockSentinel | undefined;
    const hold = () => {
      if (document.hidden || !('wakeLock' in navigator)) return;
      navigator.wakeLock.request('screen').then(
        (sentinel) => (lock = sentinel),
        (error: unknown) => console.debug('The screen may turn off.', error),
      );
    };
    hold();
    document.addEventListener('visibilitychange', hold);
    return () => {
      document.removeEventListener('visibilitychange', hold);
      void lock?.release();
    };
  }, []);
}

function Connection({ readAt }: { readAt: number }) {
  const now = useNow();
  const { isLost } = useConnection();
  const isStale = useIsStale(readAt);
  const age = now - readAt;
  // Without data, nothing is live.
  if (readAt === 0 && !isLost) return null;
  const text = isLost ? (readAt === 0 || age < justNowMs ? t.lostNow : t.lost(span(age))) : isStale ? t.old(span(age)) : t.live;
  return (
    <>
      <p className={isLost || isStale ? 'kiosk-state lost' : 'kiosk-state'} role="status">
        {text}
      </p>
      {readAt > 0 && <span className="kiosk-as-of num">{t.asOf(clockTime(new Date(readAt).toISOString()))}</span>}
    </>
  );
}

function Clock() {
  const now = useNow();
  return <span className="num">{clockTime(new Date(now).toISOString()).slice(0, -3)}</span>;
}

interface WallFrameProps {
  title: string | undefined;
  /** What it shows: the customer of the dashboard, and what is chosen. */
  about?: string | undefined;
  /** When the data came, by the clock of this browser; 0: not yet. */
  readAt: number;
  /** Buttons at the end. */
  actions?: ReactNode;
  children: ReactNode;
}

export function WallFrame({ title, about, readAt, actions, children }: WallFrameProps) {
  useScreenOn();
  return (
    <main className="kiosk" id="content">
      <header className="kiosk-head">
        <h1 className="ellipsis">{title}</h1>
        {about && <span className="kiosk-about ellipsis">{about}</span>}
        <Connection readAt={readAt} />
        <span className="grow" />
        <Clock />
        {document.fullscreenEnabled && (
          <Button small onClick={() => void document.documentElement.requestFullscreen()}>
            {t.full}
          </Button>
        )}
        {actions}
      </header>
      <OnWall value>{children}</OnWall>
    </main>
  );
}
