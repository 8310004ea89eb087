/** Reads and writes of rows of any entity, by its declaration. Hooks are in `rows/use-rows.ts`. */
import type { ErrorBody } from '@cloudfit/contract/errors.ts';
import { queryText, type ListQuery } from '@cloudfit/contract/query/query-string.ts';
import type { FieldName, Resource, Row, RowInput } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow, ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import type { SendOptions } from './call.ts';
import { callJson, createOnce, request } from './client.ts';
import { readTogether } from './read-together.ts';

interface Envelope<T> {
  value: T[];
  '@odata.count'?: number;
}

/** A page of a list; the caller knows from the query which type its rows have. */
export function listRows<T>(
  { name }: Pick<Resource, 'name'>,
  query: ListQuery,
  { together, ...options }: SendOptions = {},
): Promise<Envelope<T>> {
  return (together ? readTogether<Envelope<T>> : callJson<Envelope<T>>)(`/v1/${name}?${queryText(query)}`, options);
}

/** The path of a row: `set(key)`. */
function rowPath({ name }: Pick<Resource, 'name'>, id: string | number): string {
  return `/v1/${name}(${id})`;
}

/** The rows of a list for an export, which the server records; the answer has one line per row. */
export function exportOf({ name }: Pick<Resource, 'name'>, query: ListQuery, signal: AbortSignal): Promise<Response> {
  return request(`/v1/${name}/Export()?${queryText(query)}`, { signal, quiet: true });
}

/** One row, with what the query expands, or only the fields that it selects. */
export function readRow<R extends Resource, const Item extends ExpandItem<R> = never, const Selected extends FieldName<R> = never>(
  resource: R,
  id: string | number,
  query: { expand?: readonly Item[]; select?: readonly Selected[] } = {},
  { together, ...options }: SendOptions = {},
): Promise<ExpandedRow<R, Item, Selected>> {
  const text = queryText(query);
  return (together ? readTogether<ExpandedRow<R, Item, Selected>> : callJson<ExpandedRow<R, Item, Selected>>)(
    `${rowPath(resource, id)}${text && `?${text}`}`,
    options,
  );
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

/** One step of a JSON Patch. */
export interface PatchOperation {
  op: 'test' | 'replace';
  path: string;
  value: unknown;
}

/** Changes a row unless a value that a step tests is another one now. */
export function patchRow<R extends Resource>(
  resource: R,
  id: string | number,
  operations: readonly PatchOperation[],
  options?: SendOptions,
): Promise<Row<R>> {
  const contentType = 'application/json-patch+json';
  return callJson(`/v1/${resource.name}/${id}`, { ...options, method: 'PATCH', body: operations, contentType });
}

/** What a row of a common change gets: values, only where the row still has those of `previousState`; or the steps of a patch. */
export interface ChangeOfRow<R extends Resource> {
  id: string | number;
  previousState?: { [K in keyof Row<R>]?: unknown };
  newState?: { [K in keyof Row<R>]?: unknown };
  patch?: readonly PatchOperation[];
}

/** Changes several rows, all or none: each in its way, or those with the ids alike. Answers the rows. */
export async function changeRows<R extends Resource>(
  resource: R,
  changes: readonly ChangeOfRow<R>[] | { ids: readonly string[]; newState: RowInput<R> },
): Promise<readonly Row<R>[]> {
  const { value } = await callJson<{ value: readonly Row<R>[] }>(`/v1/${resource.name}`, { method: 'PATCH', body: changes });
  return value;
}

/** A write within a batch; `url` may name the answer of an earlier one by `$id`. */
export interface WritePart {
  id: string;
  method: 'PUT' | 'POST' | 'DELETE';
  url: string;
  body?: unknown;
}

export interface WriteAnswer {
  id: string;
  status: number;
  body?: Partial<ErrorBody> & Readonly<Record<string, unknown>>;
}

/** Writes rows of several entities, all or none; a repeat of the same parts makes nothing twice. */
export async function writeTogether(parts: readonly WritePart[]): Promise<readonly WriteAnswer[]> {
  const { responses } = await createOnce(JSON.stringify(parts), (key) => {
    const requests = parts.map((part) => ({
      ...part,
      atomicityGroup: 'save',
      ...(part.method === 'PUT' ? { headers: { 'idempotency-key': `${key}.${part.id}` } } : {}),
    }));
    return callJson<{ responses: readonly WriteAnswer[] }>('/v1/$batch', { method: 'POST', body: { requests } });
  });
  return responses;
}

export function removeRow(resource: Resource, id: string | number, options?: SendOptions): Promise<{ message?: string } | undefined> {
  return callJson(`/v1/${resource.name}/${id}`, { ...options, method: 'DELETE' });
}
