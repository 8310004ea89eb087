/** Writes of rows of any entity, by its declaration. Reads and hooks are in `rows/use-rows.ts`. */
import type { Resource, Row, RowInput } from '@cloudfit/contract/resource.ts';
import { callJson } from './client.ts';
import type { SendOptions } from './call.ts';

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
