/**
 * What a configuration refers to without containing it: people, devices, blocks, packages and their operations. A document
 * names them, and an import finds them by their names.
 */
import { guidsIn } from '@cloudfit/contract/configuration/differences.ts';
import type { ConfigurationDocument, ImportMapping, NamedRow } from '@cloudfit/contract/configuration.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { may, type Ctx } from '../../context/ctx.ts';
import { type Keys } from './keys.ts';
import { portableResources } from './portable.ts';
import { rowsIn, type PortableRow } from './rows-in.ts';

interface NamedKind {
  resource: Resource;
  /** Fields that may have the name, the preferred one first. */
  by: readonly string[];
  /** The relation to the row that a name is of; `tells`: it tells rows of the same name apart that are otherwise the same. */
  of?: { relation: string; tells: boolean };
}

const named: readonly NamedKind[] = [
  { resource: requireResource('people'), by: ['userName', 'email'] },
  { resource: requireResource('devices'), by: ['name'], of: { relation: 'subscription', tells: false } },
  { resource: requireResource('blocks'), by: ['name'] },
  { resource: requireResource('packages'), by: ['name'] },
  { resource: requireResource('operations'), by: ['name'], of: { relation: 'package', tells: true } },
];

const mayRead = (ctx: Ctx, { resource }: NamedKind): boolean => may(ctx, permission(resource.area, 'view'));

const expandOf = ({ of }: NamedKind): string | undefined => of && `&$expand=${of.relation}($select=name)`;

/** The name of the row that a row is of: the package of an operation, the subscription of a device. */
const ownerOf = (row: PortableRow, { of }: NamedKind): string | null =>
  (row[of?.relation ?? ''] as { name?: string } | null | undefined)?.name ?? null;

/** The names of those of these ids that the caller may view, by resource. */
export async function readNames(ctx: Ctx, ids: readonly string[]): Promise<Record<string, NamedRow[]>> {
  const names: Record<string, NamedRow[]> = {};
  for (const kind of named) {
    const { resource, by } = kind;
    if (ids.length === 0 || !mayRead(ctx, kind)) continue;
    const rows = await rowsIn(ctx, resource, resource.key, ids, { expand: expandOf(kind) });
    if (rows.length === 0) continue;
    names[resource.name] = rows.map((row) => ({
      key: String(row[resource.key]),
      name: String(row[by[0] ?? '']),
      ...(row['tenantId'] ? { tenantId: String(row['tenantId']) } : {}),
      ...(kind.of ? { of: ownerOf(row, kind) } : {}),
    }));
  }
  return names;
}

const lower = (value: unknown): string => String(value ?? '').toLowerCase();

const isOf = (row: PortableRow, { of }: NamedRow, kind: NamedKind): boolean => lower(ownerOf(row, kind)) === lower(of);

/** Whether the row may be the named one: in the same tenant or global, and of the same package. */
function mayBe(row: PortableRow, name: NamedRow, tenantId: unknown, kind: NamedKind): boolean {
  const inTenant = (row['tenantId'] ?? null) === (tenantId ?? null) || row['tenantId'] === undefined || row['tenantId'] === null;
  return inTenant && (!kind.of?.tells || name.of === undefined || name.of === null || isOf(row, name, kind));
}

export interface MissingRow extends NamedRow {
  resource: string;
}

/**
 * Tells `keys` the rows of this installation for the named rows of a document. Returns those that are missing here; those that
 * the mapping leaves out are told to `keys` alone.
 */
export async function findNamed(ctx: Ctx, document: ConfigurationDocument, mapping: ImportMapping, keys: Keys): Promise<MissingRow[]> {
  const missing: MissingRow[] = [];
  for (const [name, rows] of Object.entries(document.names ?? {})) {
    const kind = named.find(({ resource }) => resource.name === name);
    if (!kind)
      throw new ApiError('ValidationFailed', `Rows of ${name} have no names. Remove them from the document.`, { target: `names.${name}` });
    const lookups = rows.map((row) => {
      const ofResource = mapping[name];
      const to = ofResource?.[row.key] === undefined ? ofResource?.[row.name] : ofResource[row.key];
      return { row, to, target: to ?? row.name };
    });
    const { resource, by } = kind;
    const expand = expandOf(kind);
    const candidates = mayRead(ctx, kind)
      ? [
          ...(await rowsIn(
            ctx,
            resource,
            resource.key,
            lookups.flatMap(({ row, target }) => [row.key, target]),
            { expand },
          )),
          ...(
            await Promise.all(
              by.map((field) =>
                rowsIn(
                  ctx,
                  resource,
                  field,
                  lookups.map(({ target }) => target),
                  { expand },
                ),
              ),
            )
          ).flat(),
        ]
      : [];
    const here = new Map(candidates.map((row) => [lower(row[resource.key]), row]));
    const byName = by.map((field) => Map.groupBy(here.values(), (row) => lower(row[field])));
    for (const { row, to, target } of lookups) {
      const tenantId = keys.translate(row.tenantId ?? null);
      // The same id here is the same row, unless the configuration goes into another tenant.
      const same = here.get(lower(to ?? row.key));
      const alike = byName.map((rowsOf) => {
        const some = (rowsOf.get(lower(target)) ?? []).filter((other) => mayBe(other, to ? { ...row, of: null } : row, tenantId, kind));
        const inSame = some.filter((other) => isOf(other, row, kind));
        return some.length > 1 && inSame.length > 0 ? inSame : some;
      });
      const match = (same && mayBe(same, { ...row, of: null }, tenantId, kind) ? [same] : alike.find((some) => some.length > 0)) ?? [];
      if (to === null) keys.leaveOut(row.key, row.name);
      else if (match.length === 1) keys.set(row.key, String(match[0]?.[resource.key]));
      else missing.push({ ...row, resource: name });
    }
  }
  return missing;
}

/** The titles of these ids among all that can be named or is part of the configuration. */
export async function titlesOf(
  ctx: Ctx,
  value: unknown,
  titlesHere: ReadonlyMap<string, string>,
  others: readonly Resource[],
): Promise<Record<string, string>> {
  const ids = guidsIn(value);
  const titles: Record<string, string> = {};
  let rest = ids.filter((id) => {
    const title = titlesHere.get(id);
    if (title !== undefined) titles[id] = title;
    return title === undefined;
  });
  for (const resource of [...others, ...named.map((kind) => kind.resource)]) {
    if (rest.length === 0) break;
    if (!may(ctx, permission(resource.area, 'view'))) continue;
    for (const row of await rowsIn(ctx, resource, resource.key, rest, { all: true }))
      titles[lower(row[resource.key])] = String(row[resource.title] ?? '');
    rest = rest.filter((id) => titles[id] === undefined);
  }
  return titles;
}

/** By what is named, the tenants of the rows that name it. The tenant of a step is that of its protocol. */
export function tenantsNaming({ rows }: ConfigurationDocument, without: readonly string[]): Map<string, Set<string>> {
  const tenantOf = new Map<string, unknown>();
  for (const resource of portableResources())
    for (const row of rows[resource.name] ?? []) tenantOf.set(String(row[resource.key]).toLowerCase(), row['tenantId']);
  const naming = new Map<string, Set<string>>();
  for (const [name, some] of Object.entries(rows))
    for (const [place, row] of some.entries()) {
      if (without.includes(`${name}[${place}]`)) continue;
      const ids = guidsIn(row);
      const tenantId = row['tenantId'] ?? ids.map((id) => tenantOf.get(id)).find((id) => typeof id === 'string');
      for (const id of ids) {
        const tenants = naming.get(id) ?? new Set();
        naming.set(id, typeof tenantId === 'string' ? tenants.add(tenantId) : tenants);
      }
    }
  return naming;
}
