/** The record of a write by which polls, open pages and automation notice it: rows of `change`. */
import type { Resource, WriteVerb } from '@cloudfit/contract/resource.ts';
import { columnName } from './column-name.ts';

/**
 * Returns the insert that records a write of rows of a resource, as a part of the statement that writes them. `rows` is what
 * the insert selects from: usually the part that writes and returns `tenant_id`, the key and `correlation_id`.
 * @param correlation the expression of the correlation id.
 */
export function changed({ name, key }: Resource, verb: WriteVerb, rows: string, correlation = 'correlation_id'): string {
  return `insert into change (tenant_id, verb, entity, entity_id, correlation_id)
  select tenant_id, '${verb}', '${name}', ${columnName(key)}::text, ${correlation} from ${rows}`;
}

/**
 * Returns the statement that moves the rows of a resource to another tenant together with the row that they belong to. Values: the
 * id in the column `owner`, the tenant and the correlation id. One change for each of the two tenants stands
 * for all rows.
 */
export function movedAlong(of: Resource, table: string, owner: string): string {
  const key = columnName(of.key);
  return `with moved as (
  update ${table} set tenant_id = $2 where ${owner} = $1 returning ${key}, tenant_id, old.tenant_id as left_tenant
)
${changed(of, 'update', `(select distinct on (tenant_id) * from (select ${key}, tenant_id from moved union all select ${key}, left_tenant from moved) m) m`, '$3')}`;
}
