/** Reads the content of a template, and finds what in it belongs to an existing tenant. */
import { guidsIn } from '@cloudfit/contract/configuration/differences.ts';
import { templateContent, type TemplateContent } from '@cloudfit/contract/customers/content.ts';
import { validationFailed } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { requireResource, resources } from '@cloudfit/contract/resources/registry.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { may, type Ctx } from '../../../context/ctx.ts';
import type { FieldError } from '../../../resources/served.ts';
import { portableResources, type PortableResource } from '../portable.ts';
import { rowsIn, type PortableRow } from '../rows-in.ts';

/** A row of an existing tenant that a template names. */
export interface ForeignRow {
  resource: Resource;
  name: string;
  tenantId: string;
}

const lower = (value: unknown): string => String(value ?? '').toLowerCase();

/** Devices have no place in a template, so neither have their operations. */
export const templateResources = (): readonly PortableResource[] => portableResources().filter(({ name }) => name !== 'deviceOperations');

/** Rows of tenants that rows of a configuration can name. Their keys are ids; others are numbers, which nothing names by an id. */
const nameable = (): readonly Resource[] =>
  resources.filter(
    ({ scope, fields, key, verbs }) => scope.kind !== 'installation' && fields[key]?.kind === 'guid' && verbs.includes('list'),
  );

/** The tenant whose rows these are, in the numbering of the document; undefined without any. */
export function tenantOf({ document }: Pick<TemplateContent, 'document'>): string | undefined {
  const ids = Object.values(document.rows)
    .flat()
    .map((row) => row['tenantId'])
    .filter((id) => typeof id === 'string');
  return ids[0];
}

/** The rows of existing tenants among these ids, by id. */
export async function foreignRows(ctx: Ctx, ids: readonly string[]): Promise<Map<string, ForeignRow>> {
  const foreign = new Map<string, ForeignRow>();
  let rest = [...new Set(ids)];
  for (const resource of nameable()) {
    if (rest.length === 0) break;
    const { key, scope } = resource;
    if (scope.kind === 'installation' || !may(ctx, permission(resource.area, 'view'))) continue;
    for (const row of await rowsIn(ctx, resource, key, rest, { all: true })) {
      const id = lower(row[key]);
      const tenantId = row[scope.field];
      rest = rest.filter((other) => other !== id);
      if (typeof tenantId === 'string') foreign.set(id, { resource, name: String(row[resource.title] ?? ''), tenantId });
    }
  }
  return foreign;
}

/** The keys of the rows of a document, and its tenant: what its rows may name. */
function ownIds({ document }: TemplateContent): Set<string> {
  const templateIds = new Set<string>();
  for (const resource of templateResources())
    for (const row of document.rows[resource.name] ?? []) templateIds.add(lower(row[resource.key]));
  const tenantId = tenantOf({ document });
  if (tenantId !== undefined) templateIds.add(lower(tenantId));
  return templateIds;
}

/** The foreign rows that each row of a document names, with its place. */
export async function foreignByPlace(
  ctx: Ctx,
  content: TemplateContent,
): Promise<{ at: string; resource: string; name: string; of: ForeignRow }[]> {
  const templateIds = ownIds(content);
  const placed = templateResources().flatMap((resource) =>
    (content.document.rows[resource.name] ?? []).map((row, i) => ({
      at: `${resource.name}[${i}]`,
      resource: resource.name,
      name: String(row[resource.title] ?? ''),
      ids: guidsIn({ ...row, [resource.key]: null }),
    })),
  );
  const others = [
    ...content.access.map((row, i) => ({
      at: `access[${i}]`,
      resource: 'access',
      name: row.userName ?? row.claim ?? '',
      ids: guidsIn(row),
    })),
    ...content.tokens.map((row, i) => ({ at: `tokens[${i}]`, resource: 'tokens', name: String(row['name'] ?? ''), ids: guidsIn(row) })),
  ];
  const all = [...placed, ...others].map((item) => ({ ...item, ids: item.ids.filter((id) => !templateIds.has(id)) }));
  const foreign = await foreignRows(
    ctx,
    all.flatMap(({ ids }) => ids),
  );
  return all.flatMap(({ at, resource, name, ids }) =>
    ids.flatMap((id) => {
      const of = foreign.get(id);
      return of ? [{ at, resource, name, of }] : [];
    }),
  );
}

/** A sentence such as "the location Hall 1 of the tenant Northwind". */
export async function wordsOf(ctx: Ctx, foreign: readonly ForeignRow[]): Promise<(row: ForeignRow) => string> {
  const tenants = requireResource('tenants');
  const rows = await rowsIn(
    ctx,
    tenants,
    'tenantId',
    foreign.map(({ tenantId }) => tenantId),
  );
  const names = new Map(rows.map((row: PortableRow) => [lower(row['tenantId']), String(row['name'])]));
  return ({ resource, name, tenantId }) =>
    resource.name === 'tenants'
      ? `the tenant ${name}`
      : `the ${resource.label.toLowerCase()} ${name} of the tenant ${names.get(lower(tenantId)) ?? tenantId}`;
}

/** Rows that stand for something in all tenants, or for a second tenant: a new customer must change neither. */
function faultsOfScope({ document }: TemplateContent): FieldError[] {
  const tenantId = lower(tenantOf({ document }));
  const allowed = new Set(templateResources().map(({ name }) => name));
  return Object.entries(document.rows).flatMap(([name, rows]): FieldError[] => {
    if (!allowed.has(name))
      return [{ target: `content.document.rows.${name}`, message: `A template has no ${name}. Remove this part from the document.` }];
    const { title, key, label, fields } = requireResource(name);
    if (name === 'tenants' && rows.length > 1)
      return [{ target: 'content.document.rows.tenants', message: 'A template is of one tenant. Remove the others.' }];
    return rows.flatMap((row, i) => {
      const at = `content.document.rows.${name}[${i}]`;
      const words = `The ${label.toLowerCase()} ${String(row[title] ?? '')}`;
      if (row[key] === undefined || row[key] === null) return [];
      if (!('tenantId' in fields) || fields['tenantId']?.write === 'never') return [];
      if (row['tenantId'] === null || row['tenantId'] === undefined)
        return [
          { target: at, message: `${words} is for all tenants, and a new customer must not change it. Remove it from the document.` },
        ];
      return lower(row['tenantId']) === tenantId
        ? []
        : [{ target: at, message: `${words} is of another tenant than the rows before it. Remove it from the document.` }];
    });
  });
}

/** Parses what a client sent; undefined with the faults. */
function parsed(content: unknown): { content?: TemplateContent; faults: FieldError[] } {
  const result = templateContent.safeParse(content);
  if (result.success) return { content: result.data, faults: [] };
  return { faults: result.error.issues.map(({ path, message }) => ({ target: ['content', ...path].join('.'), message })) };
}

/** Why this cannot be the content of a template, each fault by name. */
export async function contentFaults(ctx: Ctx, value: unknown): Promise<FieldError[]> {
  const { content, faults } = parsed(value);
  if (!content) return faults;
  const ofScope = faultsOfScope(content);
  if (ofScope.length > 0) return ofScope;
  const foreign = await foreignByPlace(ctx, content);
  const words = await wordsOf(
    ctx,
    foreign.map(({ of }) => of),
  );
  return foreign.map(({ at, name, of }) => ({
    target: at.includes('[') && !/^(?:access|tokens)\[/.test(at) ? `content.document.rows.${at}` : `content.${at}`,
    message: `${at} ${name} names ${words(of)}. A template names no rows of an existing tenant: take it out, or make that one for all tenants.`,
  }));
}

/** The content of a stored template; throws 400 when rows that it names belong to a tenant by now. */
export async function requireContent(ctx: Ctx, value: unknown): Promise<TemplateContent> {
  const faults = await contentFaults(ctx, value);
  if (faults.length > 0) throw validationFailed(faults);
  return templateContent.parse(value);
}
