/** What a tile's scope is for a reader: tenants, a condition on rows, and the names of its parts. */
import { permission, type Area } from '@cloudfit/contract/permissions.ts';
import { deviceSelections } from '@cloudfit/contract/resources/device-selections.ts';
import { variableKinds, type VariableKind, type VariableValues } from '@cloudfit/contract/resources/dashboards.ts';
import { locations } from '@cloudfit/contract/resources/locations.ts';
import { tenantGroups } from '@cloudfit/contract/resources/tenant-groups.ts';
import { forbidden } from '@cloudfit/contract/errors.ts';
import { requireScope, tenantScopeWith, type Ctx } from '../../../context/ctx.ts';
import { sql, type RawBuilder } from '../../../db/sql.ts';
import { get } from '../../../resources/get.ts';
import { servedOf } from '../../../resources/served.ts';

interface NamedTenant {
  id: string;
  name: string;
}

export interface ReadScope {
  tenants: readonly NamedTenant[];
  names: readonly { kind: VariableKind; name: string }[];
  /** The parts that limit devices. */
  devices: Pick<VariableValues, 'selection' | 'location' | 'tag'>;
}

export type ScopeReader = (of: VariableValues, area: Area) => Promise<ReadScope>;

/**
 * Returns a function that resolves scopes for the caller; equal ones are read once. It throws 403 or 404 when the caller may not see a
 * part of the scope, so that a tile never shows nothing as if there were nothing.
 */
export function scopeReader(ctx: Ctx): ScopeReader {
  const names = new Map<string, Promise<{ name: string; tenantIds?: readonly string[] }>>();
  const scopes = new Map<string, Promise<ReadScope>>();

  const partOf = async (kind: VariableKind, value: string): Promise<{ name: string; tenantIds?: readonly string[] }> => {
    switch (kind) {
      case 'tenant':
        return { name: await tenantName(ctx, value), tenantIds: [value] };
      case 'group': {
        const { name, tenantIds } = await get(ctx, servedOf(tenantGroups), value);
        return { name, tenantIds };
      }
      case 'selection':
        return { name: (await get(ctx, servedOf(deviceSelections), value)).name };
      case 'location':
        return { name: (await get(ctx, servedOf(locations), value)).name };
      case 'tag':
        return { name: value };
    }
  };
  const named = (kind: VariableKind, value: string) => {
    const key = `${kind} ${value}`;
    const part = names.get(key) ?? partOf(kind, value);
    names.set(key, part);
    return part;
  };
  const read = async (of: VariableValues, area: Area): Promise<ReadScope> => {
    const { selection, location, tag } = of;
    const devices = { ...(selection && { selection }), ...(location && { location }), ...(tag && { tag }) };
    if (Object.keys(devices).length > 0) requireScope(ctx, 'Devices', 'view');
    const parts = [];
    for (const kind of variableKinds) {
      const value = of[kind];
      if (value !== undefined) parts.push({ kind, ...(await named(kind, value)) });
    }
    const limits = parts.flatMap(({ tenantIds }) => (tenantIds ? [tenantIds] : []));
    const ids = limits.length === 0 ? null : limits.reduce((all, some) => all.filter((id) => some.includes(id)));
    const visible = tenantScopeWith(ctx, [permission(area, 'view')]);
    const tenants = await ctx.db.query<NamedTenant>({
      name: 'tile-tenants',
      text: `select tenant_id as id, name from tenant where enabled and ($1::uuid[] is null or tenant_id = any($1::uuid[]))
  and ($2::uuid[] is null or tenant_id = any($2::uuid[])) order by name collate natural_order, tenant_id`,
      values: [visible === 'all' ? null : [...visible], ids],
    });
    if (tenants.length === 0 && ids?.length !== 0) throw forbidden(`You do not have the permission ${permission(area, 'view')} there.`);
    return { tenants, names: parts.map(({ kind, name }) => ({ kind, name })), devices };
  };
  return (of, area) => {
    const key = `${area} ${JSON.stringify(of)}`;
    const scope = scopes.get(key) ?? read(of, area);
    scopes.set(key, scope);
    return scope;
  };
}

async function tenantName(ctx: Ctx, id: string): Promise<string> {
  if (ctx.tenants !== 'all' && !ctx.tenants.includes(id)) throw forbidden('This tenant is not yours.');
  const [row] = await ctx.db.query<{ name: string }>({
    name: 'tile-tenant',
    text: 'select name from tenant where tenant_id = $1',
    values: [id],
  });
  if (!row) throw forbidden('This tenant is not yours.');
  return row.name;
}

const inTenants = (t: string, { tenants }: ReadScope): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(`${t}.tenant_id`)} = any(${tenants.map(({ id }) => id)}::uuid[])`;

/** The condition that a device is in the scope; `d` is the alias of the table of devices. */
function deviceIn(d: string, { devices: { selection, location, tag } }: ReadScope): RawBuilder<boolean> {
  const [inSelection, atLocation, withTag] = [selection ?? null, location ?? null, tag ?? null];
  return sql<boolean>`((${inSelection}::uuid is null or exists (select from selection_member s
      where s.device_selection_id = ${inSelection}::uuid and s.device_id = ${sql.ref(`${d}.device_id`)}))
    and (${atLocation}::uuid is null or ${sql.ref(`${d}.location_id`)} = ${atLocation}::uuid)
    and (${withTag}::text is null or exists (select from unnest(string_to_array(lower(${sql.ref(`${d}.tags`)}), ',')) x (tag)
      where btrim(x.tag) = lower(btrim(${withTag}::text)))))`;
}

const limitsDevices = ({ devices }: ReadScope): boolean => Object.keys(devices).length > 0;

/** The condition that a device, or an operation of one, is in the scope; `subject` is an expression of its id. */
function subjectIn(subject: RawBuilder<unknown>, scope: ReadScope): RawBuilder<boolean> {
  return sql<boolean>`exists (select from device e where (e.device_id = ${subject}
    or e.device_id = (select o.device_id from device_operation o where o.device_operation_id = ${subject})) and ${deviceIn('e', scope)})`;
}

/** The conditions on rows of each kind, whose table has the alias `t`. */
export const rowsIn = {
  tenants: (scope: ReadScope): RawBuilder<boolean> => inTenants('t', scope),
  devices: (scope: ReadScope): RawBuilder<boolean> => sql<boolean>`(${inTenants('t', scope)} and ${deviceIn('t', scope)})`,
  ofDevice: (scope: ReadScope): RawBuilder<boolean> =>
    limitsDevices(scope)
      ? sql<boolean>`(${inTenants('t', scope)} and exists (select from device e where e.device_id = ${sql.ref('t.device_id')} and ${deviceIn('e', scope)}))`
      : inTenants('t', scope),
  matches: (scope: ReadScope): RawBuilder<boolean> =>
    limitsDevices(scope)
      ? sql<boolean>`(${inTenants('t', scope)} and ${subjectIn(sql.ref('t.subject_id'), scope)})`
      : inTenants('t', scope),
  units: (scope: ReadScope): RawBuilder<boolean> =>
    limitsDevices(scope)
      ? sql<boolean>`(${inTenants('t', scope)} and exists (select from unit_match m where m.work_unit_id = ${sql.ref('t.work_unit_id')} and ${subjectIn(sql.ref('m.subject_id'), scope)}))`
      : inTenants('t', scope),
};
