/** Reads the number and the first rows of what a change touches, through the engine: only rows that the caller may view. */
import type { ImpactGroup } from '@cloudfit/contract/impact/calls.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { may, type Ctx } from '../../context/ctx.ts';
import { list } from '../../resources/list.ts';
import { servedOf, type AnyRow } from '../../resources/served.ts';
import type { TouchedRows } from './touched.ts';

const shownFirst = 5;

function relatedTitle(row: AnyRow, { relations }: Resource, name: string): string {
  const related = row[name] as AnyRow | null | undefined;
  return String(related?.[requireResource(relations[name]?.to ?? '').title] ?? '');
}

/** Returns the touched rows of one kind; undefined when there are none, or when the caller may view no rows of the resource. */
async function groupOf(ctx: Ctx, rows: TouchedRows): Promise<ImpactGroup | undefined> {
  const { of: resource, namedBy } = rows;
  if (!may(ctx, permission(resource.area, 'view'))) return undefined;
  const options = [
    `$top=${shownFirst}`,
    '$count=true',
    `$orderby=${encodeURIComponent(rows.orderBy ?? `${resource.title} asc`)}`,
    ...(namedBy ? [`$expand=${namedBy}`] : []),
  ];
  const { value, count = 0 } = await list(ctx, servedOf(resource), options.join('&'), { narrow: rows.narrow });
  if (count === 0) return undefined;
  const tenantField = resource.scope.kind === 'installation' ? undefined : resource.scope.field;
  const nameOf = (row: AnyRow): string => {
    if (namedBy) return relatedTitle(row, resource, namedBy);
    return rows.names ? rows.names(row) : String(row[resource.title]);
  };
  return {
    kind: rows.kind,
    ...(rows.field ? { field: rows.field } : {}),
    count,
    first: value.map((row) => ({
      id: String(row[resource.key]),
      name: nameOf(row),
      tenantId: tenantField ? ((row[tenantField] as string | null | undefined) ?? null) : null,
    })),
  };
}

export async function groupsOf(ctx: Ctx, all: readonly TouchedRows[]): Promise<ImpactGroup[]> {
  const groups = await Promise.all(all.map((rows) => groupOf(ctx, rows)));
  return groups.filter((group) => group !== undefined);
}
