/** Says across the portal that the server does not answer, and from when the shown data is. */
import { useEffect, useRef } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { en } from '@cloudfit/contract/messages/en.ts';
import { tryConnection, useConnection } from '../../api/connection.ts';
import { Button } from '../../components/button.tsx';
import { clockTime } from '../../theme/times.ts';
import './connection-bar.css';

/** Refreshes what is shown once the server answers again. */
function useRefreshAfter(isLost: boolean) {
  const client = useQueryClient();
  const wasLost = useRef(false);
  useEffect(() => {
    if (wasLost.current && !isLost) void client.invalidateQueries();
    wasLost.current = isLost;
  }, [client, isLost]);
}

export function ConnectionBar() {
  const { isLost, isTrying, answeredAt } = useConnection();
  useRefreshAfter(isLost);
  if (!isLost) return null;
  return (
    <div className="connection-bar" role="status">
      <strong>{en.shell.connectionLost}</strong>
      <span>
        {answeredAt !== undefined && `${en.shell.shownFrom(clockTime(new Date(answeredAt).toISOString()))} `}
        {en.shell.tryingAgain}
      </span>
      <Button small disabled={isTrying} onClick={() => void tryConnection()}>
        {en.shell.tryNow}
      </Button>
    </div>
  );
}
