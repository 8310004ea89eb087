/** What a query shows while it loads, when it failed, and when there is nothing. */
import type { ReactNode } from 'react';
import { failureText } from '../api/client.ts';
import { ErrorState, Skeleton } from '../components/states.tsx';

interface LoadedProps<T> {
  query: { data: T | undefined; error: unknown; refetch: () => Promise<unknown> };
  /** The title of a failure; by default the text of the server. */
  failed?: string;
  /** Whether a failure is shown as a part of a screen; otherwise as a whole one. */
  small?: boolean;
  /** Shown for an empty list. */
  empty?: ReactNode;
  /** Shown while the query loads. */
  loading?: ReactNode;
  children: (value: T) => ReactNode;
}

export function Loaded<T>({ query, failed, small = true, empty, loading = <Skeleton width="70%" />, children }: LoadedProps<T>) {
  const { data, error, refetch } = query;
  if (error && data === undefined) {
    const text = failureText(error);
    return <ErrorState small={small} title={failed ?? text} text={text} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return loading;
  return Array.isArray(data) && data.length === 0 && empty !== undefined ? empty : children(data);
}
