/** What a query shows while it loads, when it failed, and when there is nothing. */
import type { ReactNode } from 'react';
import { Skeleton } from '../components/states.tsx';
import { LoadFailure } from '../rows/load-failure.tsx';

interface LoadedProps<T> {
  query: { data: T | undefined; error: unknown; refetch: () => Promise<unknown> };
  /** The title of a failure; by default the text of the server. */
  failed?: string;
  /** The title when the row does not exist. */
  missing?: string;
  /** Whether a failure is shown as a part of a screen; otherwise as a whole one. */
  small?: boolean;
  /** Shown for an empty list. */
  empty?: ReactNode;
  /** Shown while the query loads. */
  loading?: ReactNode;
  children: (value: T) => ReactNode;
}

export function Loaded<T>({ query, small = true, empty, loading = <Skeleton width="70%" />, children, ...failure }: LoadedProps<T>) {
  const { data, error } = query;
  if (error && data === undefined) return <LoadFailure query={query} small={small} {...failure} />;
  if (data === undefined) return loading;
  return Array.isArray(data) && data.length === 0 && empty !== undefined ? empty : children(data);
}
