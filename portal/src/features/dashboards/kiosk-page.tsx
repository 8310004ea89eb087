/** A dashboard on a wall screen: no menus, the whole window, and the age of its data when the connection is lost. */
import { useEffect, useState } from 'react';
import { Link, useParams } from 'react-router';
import { dashboardTexts } from '@cloudfit/contract/messages/dashboards.en.ts';
import { dashboards } from '@cloudfit/contract/resources/dashboards.ts';
import { failureText } from '../../api/client.ts';
import { useConnection } from '../../api/connection.ts';
import { Button } from '../../components/button.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { span, useNow } from '../../components/relative-time.tsx';
import { clockTime } from '../../theme/times.ts';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { useRow } from '../../rows/use-rows.ts';
import { Board } from './board.tsx';
import { addressOf } from './use-dashboard.ts';
import './dashboards.css';

const t = dashboardTexts.wall;
/** If the last data is younger than this, in milliseconds, the notice about a lost connection states no age. */
const justNowMs = 5_000;
/** Without an answer for this time, in milliseconds, the wall shows its age. Longer than the poll interval of every tile. */
const quietMs = 90_000;

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

function Connection() {
  const now = useNow();
  const { answeredAt: lastAt, ...connection } = useConnection();
  const isLost = connection.isLost || (lastAt !== undefined && now - lastAt > quietMs);
  return (
    <p className={isLost ? 'kiosk-state lost' : 'kiosk-state'} role="status">
      {isLost ? (lastAt === undefined || now - lastAt < justNowMs ? t.lostNow : t.lost(span(now - lastAt))) : t.live}
    </p>
  );
}

function Clock() {
  const now = useNow();
  return <span className="num">{clockTime(new Date(now).toISOString()).slice(0, -3)}</span>;
}

export function KioskPage() {
  const { dashboardId = '', tenantId = '' } = useParams();
  usePageTitle(t.title);
  useScreenOn();
  const { data: row, error, refetch } = useRow(dashboards, dashboardId.toLowerCase());
  // Data that was read once stays on the screen, whatever happens to the connection.
  const [shown, setShown] = useState(row);
  if (row && row !== shown) setShown(row);
  return (
    <main className="kiosk" id="content">
      <header className="kiosk-head">
        <h1 className="ellipsis">{shown?.name}</h1>
        <Connection />
        <span className="grow" />
        <Clock />
        {document.fullscreenEnabled && (
          <Button small onClick={() => void document.documentElement.requestFullscreen()}>
            {t.full}
          </Button>
        )}
        <Link className="btn small" to={addressOf({ tenantId, dashboardId })}>
          {t.leave}
        </Link>
      </header>
      {shown ? (
        <Board tiles={shown.tiles} tenantId={tenantId} heading="h2" />
      ) : error ? (
        <ErrorState title={dashboardTexts.failed} text={failureText(error)} onRetry={() => void refetch()} />
      ) : (
        <Skeleton width="40%" />
      )}
    </main>
  );
}
