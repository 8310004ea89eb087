/** Reads, as one document, the configuration that the caller may view. */
import { guidsIn } from '@cloudfit/contract/configuration/differences.ts';
import type { ConfigurationDocument } from '@cloudfit/contract/configuration.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { may, type Ctx } from '../../context/ctx.ts';
import { list } from '../../resources/list.ts';
import { servedOf } from '../../resources/served.ts';
import { readNames } from './named.ts';
import type { ConfigurationPart } from './part.ts';
import { isExported, portableFields, portableResources, type PortableResource } from './portable.ts';

type ExportedRow = Record<string, unknown>;

function filterOf({ scope, portable: { except } }: PortableResource, tenantId: string | undefined): string {
  const conditions = except ? [`${except[0]} ne '${except[1]}'`] : [];
  if (tenantId !== undefined && scope.kind !== 'installation') {
    const ofTenant = `${scope.field} eq ${tenantId}`;
    conditions.push(scope.kind === 'tenant' ? ofTenant : `(${ofTenant} or ${scope.field} eq null)`);
  }
  return conditions.length === 0 ? '' : `&$filter=${encodeURIComponent(conditions.join(' and '))}`;
}

async function rowsOf(ctx: Ctx, resource: PortableResource, tenantId: string | undefined): Promise<ExportedRow[]> {
  const names = [resource.key, ...portableFields(resource).map(([name]) => name)].filter((name, i, all) => all.indexOf(name) === i);
  const rows: ExportedRow[] = [];
  for (let skip = 0; ; skip += limits.pageMax) {
    const query = `$orderby=${resource.key}&$top=${limits.pageMax}&$skip=${skip}${filterOf(resource, tenantId)}`;
    const { value } = await list(ctx, servedOf(resource), query);
    rows.push(...value.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? null]))));
    if (value.length < limits.pageMax) return rows;
  }
}

export async function exportDocument(ctx: Ctx, parts: readonly ConfigurationPart[], tenantId?: string): Promise<ConfigurationDocument> {
  const rows: Record<string, ExportedRow[]> = {};
  // Rows are in the order in which they can be imported. They are read without a snapshot, so a row may refer to a row that was
  // created too late to be in the document.
  for (const resource of portableResources())
    if (isExported(resource) && may(ctx, permission(resource.area, 'view'))) rows[resource.name] = await rowsOf(ctx, resource, tenantId);
  for (const part of parts) {
    const documents = await part.export(ctx);
    if (documents) rows[part.name] = documents.map((document) => ({ ...document }));
  }
  const exportedIds = new Set(
    portableResources().flatMap(({ name, key }) => (rows[name] ?? []).map((row) => String(row[key]).toLowerCase())),
  );
  const names = await readNames(
    ctx,
    guidsIn(rows).filter((id) => !exportedIds.has(id)),
  );
  return { cloudfit: 'configuration', version: 1, exported: ctx.now().toISOString(), rows, names };
}
