/** Reads the names of rows that conditions refer to by id, if the caller may see them. */
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import type { NameOf } from '@cloudfit/contract/rules/describe.ts';
import { operandOf } from '@cloudfit/contract/rules/operands.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { may, type Ctx } from '../../context/ctx.ts';
import { list } from '../../resources/list.ts';
import { servedOf } from '../../resources/served.ts';

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const number = /^\d{1,15}$/;

async function namesIn(ctx: Ctx, name: string, ids: readonly string[], tenantId: string): Promise<[string, string][]> {
  const resource = findResource(name);
  if (!resource || !may(ctx, permission(resource.area, 'view'), tenantId)) return [];
  const { key, title } = resource;
  const filter = encodeURIComponent(`${key} in (${ids.join(',')})`);
  const page = await list(ctx, servedOf(resource), `$select=${key},${title}&$filter=${filter}&$top=1000`);
  return page.value.map((row) => [`${name} ${String(row[key])}`, String(row[title] ?? '')]);
}

/** Reads the names, one list per resource, and returns a function that finds them. */
export async function nameRows(ctx: Ctx, conditions: readonly Condition[], tenantId: string): Promise<NameOf> {
  const idsByResource = new Map<string, Set<string>>();
  for (const { LeftOperand, RightOperand } of conditions) {
    const resource = operandOf(LeftOperand)?.lookup;
    const id = RightOperand?.toLowerCase() ?? '';
    if (!resource || !(guid.test(id) || number.test(id))) continue;
    idsByResource.set(resource, (idsByResource.get(resource) ?? new Set()).add(id));
  }
  const namePairs = await Promise.all([...idsByResource].map(([name, ids]) => namesIn(ctx, name, [...ids], tenantId)));
  const names = new Map(namePairs.flat());
  return (resource, id) => names.get(`${resource} ${id.toLowerCase()}`);
}
