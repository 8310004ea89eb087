/** A dashboard by its link, without sign-in. The token is behind the # of the address, which no server and no log receives. */
import { useState } from 'react';
import { useLocation } from 'react-router';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { readWall } from '@cloudfit/contract/calls.ts';
import { dashboardTexts } from '@cloudfit/contract/messages/dashboards.en.ts';
import { useCall } from '../../api/call.ts';
import { failureText, RequestFailed } from '../../api/client.ts';
import { usePageTitle } from '../../components/page-title.ts';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { untilText } from '../../theme/times.ts';
import { Board } from './board.tsx';
import { useIsStale, WallFrame } from './wall-frame.tsx';

const t = dashboardTexts.wall;
const pollMs = 15_000;
/** A link that has ended shows nothing, also nothing of what it has shown. */
const isEnd = (error: unknown): boolean => error instanceof RequestFailed && (error.status === 404 || error.status === 403);

export function WallPage() {
  const token = useLocation().hash.slice(1);
  usePageTitle(t.title);
  const {
    data,
    error,
    dataUpdatedAt: readAt,
  } = useCall(readWall, { token }, { enabled: token !== '', refetchInterval: pollMs, refetchIntervalInBackground: true, retry: false });
  const [shown, setShown] = useState<CallOutput<typeof readWall>>();
  if (data && data !== shown) setShown(data);
  const isStale = useIsStale(readAt);
  if (token === '')
    return (
      <WallFrame title={undefined} readAt={0}>
        <ErrorState title={t.ended} text={t.noToken} />
      </WallFrame>
    );
  if (isEnd(error) || !shown)
    return (
      <WallFrame title={undefined} readAt={0}>
        {error ? <ErrorState title={t.ended} text={failureText(error)} /> : <Skeleton width="40%" />}
      </WallFrame>
    );
  const about = [shown.tenantName, ...shown.reading.names.map(({ name }) => name)].join(' · ');
  return (
    <WallFrame
      title={shown.name}
      about={about}
      readAt={readAt}
      actions={<span className="kiosk-as-of">{t.until(untilText(shown.expires))}</span>}
    >
      <Board tiles={shown.tiles} read={{ data: shown.reading, isError: false, readAt }} heading="h2" hasLinks={false} isStale={isStale} />
    </WallFrame>
  );
}
