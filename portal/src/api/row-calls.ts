/** Reads and writes rows of any entity, by its declaration. Hooks are in `rows/use-rows.ts`. */
import { queryText, type ListQuery } from '@cloudfit/contract/query/query-string.ts';
import type { Resource, Row, RowInput } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow, ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import type { SendOptions } from './call.ts';
import { callJson, request } from './client.ts';

interface Envelope<T> {
  value: T[];
  '@odata.count'?: number;
}

/** A page of a list; the caller knows from the query which type its rows have. */
export function listRows<T>({ name }: Pick<Resource, 'name'>, query: ListQuery, options?: SendOptions): Promise<Envelope<T>> {
  return callJson(`/v1/${name}?${queryText(query)}`, options);
}

/** The path of a row: `set(key)`. */
export function rowPath({ name }: Pick<Resource, 'name'>, id: string | number): string {
  return `/v1/${name}(${id})`;
}

export function readRow<R extends Resource, Item extends ExpandItem<R> = never>(
  resource: R,
  id: string | number,
  expand: readonly Item[] | undefined,
  options?: SendOptions,
): Promise<ExpandedRow<R, Item>> {
  return callJson(`${rowPath(resource, id)}${expand ? `?${queryText({ expand })}` : ''}`, options);
}

/** The rows of a list for an export, which the server records; the answer has one line per row. */
export function exportOf({ name }: Pick<Resource, 'name'>, query: ListQuery, signal: AbortSignal): Promise<Response> {
  return request(`/v1/${name}/Export()?${queryText(query)}`, { signal, quiet: true });
}

export function createRow<R extends Resource>(resource: R, values: RowInput<R>, options?: SendOptions): Promise<Row<R>> {
  return callJson(`/v1/${resource.name}`, { ...options, method: 'PUT', body: values });
}

export function changeRow<R extends Resource>(
  resource: R,
  id: string | number,
  values: RowInput<R>,
  options?: SendOptions,
): Promise<Row<R>> {
  return callJson(`/v1/${resource.name}/${id}`, { ...options, method: 'POST', body: values });
}

export function removeRow(resource: Resource, id: string | number, options?: SendOptions): Promise<undefined> {
  return callJson(`/v1/${resource.name}/${id}`, { ...options, method: 'DELETE' });
}
