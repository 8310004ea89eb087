/** Reading and writing rows of any resource. Keys begin with the resource's name: whoever changes a row invalidates them together. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { callJson, RequestFailed } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { queryString, type ListQuery } from '../api/query-string.ts';

export interface Page<T> {
  rows: readonly T[];
  count: number | undefined;
}

interface Envelope<T> {
  value: T[];
  '@odata.count'?: number;
}

export async function fetchPage<T>(resource: Pick<Resource, 'name'>, query: ListQuery, signal?: AbortSignal): Promise<Page<T>> {
  const body = await callJson<Envelope<T>>(`/v1/${resource.name}${queryString(query)}`, { signal });
  return { rows: body.value, count: body['@odata.count'] };
}

/** Where a page of a list is kept, and how it is fetched. */
export function pageQuery<T>(resource: Pick<Resource, 'name'>, query: ListQuery) {
  return {
    queryKey: [resource.name, 'list', query] as const,
    queryFn: ({ signal }: { signal: AbortSignal }) => fetchPage<T>(resource, query, signal),
  };
}

const isDenied = (error: unknown) => error instanceof RequestFailed && error.status === 403;
const isGone = (error: unknown) => error instanceof RequestFailed && error.status === 404;

/** A list that was asked for before it was drawn is drawn within this. */
const drawnWithinMs = 1_000;

interface ListOptions {
  enabled?: boolean;
  /** Polls while live changes do not arrive. */
  pollMs?: number | undefined;
  /** Polls beside live changes too: they do not tell all that changes here. */
  pollsAlways?: boolean;
  /** False: neither live changes nor polls refresh it. */
  refresh?: boolean;
}

/** A page of a list; shows the page before while the next one loads. */
export function useList<T>(
  resource: Pick<Resource, 'name'>,
  query: ListQuery,
  { enabled = true, pollMs, pollsAlways = false, refresh = true }: ListOptions = {},
) {
  const live = useLive();
  return useQuery({
    ...pageQuery<T>(resource, query),
    placeholderData: keepPreviousData,
    enabled,
    meta: { live: refresh },
    retryOnMount: (query) => Date.now() - query.state.errorUpdatedAt > drawnWithinMs,
    // Who lost the right is not told so at every poll.
    refetchInterval: (query) => (refresh && pollMs && (pollsAlways || !live) && !isDenied(query.state.error) ? pollMs : false),
  });
}

/** A row is addressed as `set(key)`. */
export function rowPath(resource: Pick<Resource, 'name'>, id: string | number): string {
  return `/v1/${resource.name}(${id})`;
}

/** Where a row is kept, and how it is fetched. */
export function rowQuery<T>(resource: Pick<Resource, 'name'>, id: string, expand?: string) {
  return {
    queryKey: [resource.name, 'row', id, expand],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      callJson<T>(`${rowPath(resource, id)}${expand ? queryString({ expand }) : ''}`, { signal }),
  };
}

/** One row; what the list knows of it shows at once. What was shown goes when the right to it is taken away, or the row itself. */
export function useRow<T>(
  resource: Pick<Resource, 'name'>,
  id: string,
  { expand, known, enabled = true }: { expand?: string | undefined; known?: T | undefined; enabled?: boolean } = {},
) {
  const { data, error, refetch } = useQuery({
    ...rowQuery<T>(resource, id, expand),
    enabled,
    ...(known ? { placeholderData: known as never } : {}),
  });
  return { data: isDenied(error) || isGone(error) ? undefined : data, error, refetch };
}

/** Creates without an id, updates with one. */
export function useSave<T>(resource: Pick<Resource, 'name'>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, values }: { id?: string | undefined; values: Record<string, unknown> }) =>
      callJson<T>(id === undefined ? `/v1/${resource.name}` : `/v1/${resource.name}/${id}`, {
        method: id === undefined ? 'PUT' : 'POST',
        body: values,
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: [resource.name] }),
  });
}

/** Deletes one row. No mutation of its own: every row of a list has it at hand. */
export function useRemove(resource: Pick<Resource, 'name'>): (id: string) => Promise<void> {
  const client = useQueryClient();
  return async (id) => {
    await callJson<undefined>(`/v1/${resource.name}/${id}`, { method: 'DELETE' });
    await client.invalidateQueries({ queryKey: [resource.name] });
  };
}
