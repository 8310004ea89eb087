/**
 * Reads and writes rows of any resource. Query keys begin with the resource's name, so that a write invalidates all
 * queries of the resource.
 */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FieldName, Resource, Row, RowInput } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow, ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { RequestFailed, useFormId } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { changeRow, createRow, listRows, readRow, removeRow } from '../api/row-calls.ts';
import type { ListQuery } from '@cloudfit/contract/query/query-string.ts';
import type { FormValues, UntypedRow } from './row.ts';

export interface RowsPage<T> {
  rows: readonly T[];
  count: number | undefined;
}

/** The rows of a list; their type follows from what it expands and selects. */
export interface RowsQuery<R extends Resource, Item extends ExpandItem<R> = never, Selected extends FieldName<R> = never> extends Omit<
  ListQuery<R>,
  'apply'
> {
  expand?: readonly Item[] | undefined;
  select?: readonly Selected[] | undefined;
}

async function fetchValues<T>(
  resource: Pick<Resource, 'name'>,
  query: ListQuery,
  signal?: AbortSignal,
  together?: boolean,
): Promise<RowsPage<T>> {
  const body = await listRows<T>(resource, query, { signal, together });
  return { rows: body.value, count: body['@odata.count'] };
}

export function fetchPage<R extends Resource, const Item extends ExpandItem<R> = never, const Selected extends FieldName<R> = never>(
  resource: R,
  query: RowsQuery<R, Item, Selected>,
  signal?: AbortSignal,
  together?: boolean,
): Promise<RowsPage<ExpandedRow<R, Item, Selected>>> {
  return fetchValues(resource, query, signal, together);
}

/** Rows of a resource that is known by its name only. */
export function fetchUntyped(name: string, query: ListQuery, signal?: AbortSignal): Promise<RowsPage<UntypedRow>> {
  return fetchValues({ name }, query, signal);
}

/** The result rows of `$apply`; the caller declares their type. */
export function fetchGroups<Group>(
  resource: Resource,
  query: ListQuery & { apply: string },
  signal?: AbortSignal,
): Promise<RowsPage<Group>> {
  return fetchValues(resource, query, signal);
}

/** The query key of a list page, and its fetch function. `together`: in one request with the other reads of the moment that say so. */
export function pageQuery<R extends Resource, const Item extends ExpandItem<R> = never, const Selected extends FieldName<R> = never>(
  resource: R,
  query: RowsQuery<R, Item, Selected>,
  together?: boolean,
) {
  return {
    queryKey: [resource.name, 'list', query] as const,
    queryFn: ({ signal }: { signal: AbortSignal }) => fetchPage(resource, query, signal, together),
  };
}

export function groupsQuery<Group>(resource: Resource, query: ListQuery & { apply: string }) {
  return {
    queryKey: [resource.name, 'list', query] as const,
    queryFn: ({ signal }: { signal: AbortSignal }) => fetchGroups<Group>(resource, query, signal),
  };
}

const isDenied = (error: unknown) => error instanceof RequestFailed && error.status === 403;
const isGone = (error: unknown) => error instanceof RequestFailed && error.status === 404;

/** The time within which a prefetched list renders. A list with a younger error is not fetched again when it renders. */
const renderedWithinMs = 1_000;

interface ListOptions {
  enabled?: boolean;
  /** The interval of polls, in milliseconds, while no live changes arrive. */
  pollMs?: number | undefined;
  /** Polls although live changes arrive, because some changes of this list are not announced. */
  pollsAlways?: boolean;
  /** Reads it in one request with the other reads of the moment that say so. */
  together?: boolean;
  /** False for a list that neither live changes nor polls refresh. */
  refresh?: boolean;
}

function usePage<T>(
  query: { queryKey: readonly unknown[]; queryFn: (context: { signal: AbortSignal }) => Promise<RowsPage<T>> },
  { enabled = true, pollMs, pollsAlways = false, refresh = true }: ListOptions = {},
) {
  const live = useLive();
  return useQuery({
    ...query,
    placeholderData: keepPreviousData,
    enabled,
    meta: { live: refresh },
    retryOnMount: (query) => Date.now() - query.state.errorUpdatedAt > renderedWithinMs,
    // Stops polling after a 403, because each poll would show its message again.
    refetchInterval: (query) => (refresh && pollMs && (pollsAlways || !live) && !isDenied(query.state.error) ? pollMs : false),
  });
}

/** A page of a list; shows the previous page while the next one loads. */
export function useList<R extends Resource, const Item extends ExpandItem<R> = never, const Selected extends FieldName<R> = never>(
  resource: R,
  query: RowsQuery<R, Item, Selected>,
  options?: ListOptions,
) {
  return usePage(pageQuery(resource, query, options?.together), options);
}

/** Like `useList`, for the results of `$apply`. */
export function useGroups<Group>(resource: Resource, query: ListQuery & { apply: string }, options?: ListOptions) {
  return usePage(groupsQuery<Group>(resource, query), options);
}

/** The query key of a row, and its fetch function. */
export function rowQuery<R extends Resource, const Item extends ExpandItem<R> = never>(
  resource: R,
  id: string,
  expand?: readonly Item[],
  together?: boolean,
) {
  return {
    queryKey: [resource.name, 'row', id, expand],
    queryFn: ({ signal }: { signal: AbortSignal }) => readRow(resource, id, expand ? { expand } : {}, { signal, together }),
  };
}

interface RowOptions<Item, Listed> {
  expand?: readonly Item[] | undefined;
  listed?: Listed | undefined;
  enabled?: boolean;
  /** Reads it in one request with the other reads of the moment that say so. */
  together?: boolean;
}

/** One row; shows the list's copy while it loads. The row disappears when it is deleted or its permission is removed. */
export function useRow<R extends Resource, const Item extends ExpandItem<R> = never, Listed extends Row<R> = ExpandedRow<R, Item>>(
  resource: R,
  id: string,
  { expand, listed, enabled = true, together }: RowOptions<Item, Listed> = {},
) {
  const { data, error, isPending, refetch } = useQuery({ ...rowQuery(resource, id, expand, together), enabled });
  return { data: isDenied(error) || isGone(error) ? undefined : isPending ? listed : data, error, refetch };
}

/** Creates a row without an id, updates the row with the id. */
export function useSave<R extends Resource>(resource: R) {
  const [client, form] = [useQueryClient(), useFormId()];
  return useMutation({
    mutationFn: ({ id, values }: { id?: string | undefined; values: FormValues<R> }) => {
      // The server validates what a form has.
      const sent = values as RowInput<R>;
      return id === undefined ? createRow(resource, sent, { form }) : changeRow(resource, id, sent);
    },
    onSuccess: () => client.invalidateQueries({ queryKey: [resource.name] }),
  });
}

/** Deletes one row. A plain function, because each row of a list would otherwise create a mutation. */
export function useRemove(resource: Resource): (id: string) => Promise<void> {
  const client = useQueryClient();
  return async (id) => {
    await removeRow(resource, id);
    await client.invalidateQueries({ queryKey: [resource.name] });
  };
}
