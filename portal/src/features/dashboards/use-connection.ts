/** Whether the connection to the server is lost, and the time of the last successful query. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { RequestFailed } from '../../api/client.ts';

/** Without data for this time, in milliseconds, the connection counts as lost. Longer than the poll interval of every tile. */
const quietMs = 90_000;

const followOnline = (listener: () => void) => {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
};

/** Whether the error is a refusal (4xx), which proves that the connection works. */
const isAnswer = (error: unknown) => error instanceof RequestFailed && error.status >= 400 && error.status < 500;

export function useConnection(now: number): { isLost: boolean; lastAt: number | undefined } {
  const client = useQueryClient();
  const isOnline = useSyncExternalStore(followOnline, () => navigator.onLine);
  const [{ lastAt, fails }, setRead] = useState<{ lastAt: number | undefined; fails: boolean }>(() => {
    const newest = Math.max(
      0,
      ...client
        .getQueryCache()
        .getAll()
        .map(({ state }) => state.dataUpdatedAt),
    );
    return { lastAt: newest === 0 ? undefined : newest, fails: false };
  });
  useEffect(
    () =>
      client.getQueryCache().subscribe((event) => {
        if (event.type !== 'updated') return;
        if (event.action.type === 'success') setRead({ lastAt: Date.now(), fails: false });
        else if ((event.action.type === 'error' || event.action.type === 'failed') && !isAnswer(event.action.error))
          setRead((before) => (before.fails ? before : { ...before, fails: true }));
      }),
    [client],
  );
  return { isLost: !isOnline || fails || (lastAt !== undefined && now - lastAt > quietMs), lastAt };
}
