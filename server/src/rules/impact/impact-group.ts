/** Reads the number and the first rows of what a change touches, through the engine: only rows that the caller may view. */
import type { RawBuilder } from 'kysely';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import type { ImpactGroup, ImpactKind } from '@cloudfit/contract/impact/calls.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { may, type Ctx } from '../../context/ctx.ts';
import { list } from '../../resources/list.ts';
import { servedNamed } from '../../resources/served.ts';

const shownFirst = 5;

export interface TouchedRows {
  kind: ImpactKind;
  /** Name of the resource of the rows. */
  of: string;
  narrow: RawBuilder<boolean>;
  filter?: string;
  /** The text for a row; by default its title. */
  names?: (row: Record<string, unknown>) => string;
  /** Relations that `names` reads. */
  expand?: string;
  orderBy?: string;
  field?: string;
}

/** Returns the touched rows of one kind; undefined when there are none, or when the caller may view no rows of the resource. */
async function groupOf(ctx: Ctx, touched: TouchedRows): Promise<ImpactGroup | undefined> {
  const resource = requireResource(touched.of);
  if (!may(ctx, permission(resource.area, 'view'))) return undefined;
  const options = [
    `$top=${shownFirst}`,
    '$count=true',
    `$orderby=${encodeURIComponent(touched.orderBy ?? `${resource.title} asc`)}`,
    ...(touched.filter ? [`$filter=${encodeURIComponent(touched.filter)}`] : []),
    ...(touched.expand ? [`$expand=${touched.expand}`] : []),
  ];
  const { value, count = 0 } = await list(ctx, servedNamed(touched.of), options.join('&'), { narrow: touched.narrow });
  if (count === 0) return undefined;
  const tenantField = resource.scope.kind === 'installation' ? undefined : resource.scope.field;
  return {
    kind: touched.kind,
    ...(touched.field ? { field: touched.field } : {}),
    count,
    first: value.map((row) => ({
      id: String(row[resource.key]),
      name: touched.names ? touched.names(row) : String(row[resource.title]),
      tenantId: tenantField ? ((row[tenantField] as string | null | undefined) ?? null) : null,
    })),
  };
}

export async function groupsOf(ctx: Ctx, all: readonly TouchedRows[]): Promise<ImpactGroup[]> {
  const groups = await Promise.all(all.map((touched) => groupOf(ctx, touched)));
  return groups.filter((group) => group !== undefined);
}

export const unitName = (row: Record<string, unknown>): string => `#${String(row['publicWorkUnitId'])} ${String(row['title'])}`;

/** The name of the row of an expanded relation. */
export function relatedName(row: Record<string, unknown>, relation: string): string {
  const related = row[relation] as { name?: string } | null | undefined;
  return related?.name ?? '';
}
