/** Makes the content of a template from an existing customer, and says what could not come along. */
import type { TemplateContent } from '@cloudfit/contract/customers/content.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { tokens } from '@cloudfit/contract/resources/tokens.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { may, requirePermission, type Ctx } from '../../../context/ctx.ts';
import { list } from '../../../resources/list.ts';
import { servedOf } from '../../../resources/served.ts';
import { exportDocument } from '../export.ts';
import { portableFields } from '../portable.ts';
import type { PortableRow } from '../rows-in.ts';
import { foreignByPlace, templateResources, wordsOf } from './content.ts';

export interface LeftOut {
  at: string;
  resource: string;
  name: string;
  reason: string;
}

const lower = (value: unknown): string => String(value ?? '').toLowerCase();

/** The rows of the tenant itself: those with its id, and below them rows that have no tenant field of their own. */
function rowsOfTenant(rows: Readonly<Record<string, readonly PortableRow[]>>, tenantId: string): Record<string, PortableRow[]> {
  const rowsByResource: Record<string, PortableRow[]> = {};
  const keys = new Set<string>();
  for (const resource of templateResources()) {
    const tenantRows = (rows[resource.name] ?? []).filter((row) => {
      if (resource.scope.kind === 'installation') return false;
      if ('tenantId' in row) return lower(row['tenantId']) === lower(tenantId);
      return Object.entries(resource.fields).some(([name, { ref }]) => ref !== undefined && keys.has(lower(row[name])));
    });
    for (const row of tenantRows) keys.add(lower(row[resource.key]));
    if (tenantRows.length > 0) rowsByResource[resource.name] = tenantRows;
  }
  return rowsByResource;
}

interface TenantAccess {
  userName: string | null;
  claim: string | null;
  permissionSetId: string;
  personId: string | null;
  /** Whether the person has rights in this tenant alone, as people of the customer have. */
  isOfCustomer: boolean;
}

async function accessOf(ctx: Ctx, tenantId: string): Promise<TenantAccess[]> {
  if (!may(ctx, permission('People', 'view'), tenantId)) return [];
  return ctx.db.query<TenantAccess>({
    name: 'template-access',
    text: `select p.user_name as "userName", g.claim, g.permission_set_id as "permissionSetId", p.person_id as "personId",
        p.person_id is not null and not exists (select from access_grant o where o.person_id = p.person_id and o.tenant_id is distinct from $1) as "isOfCustomer"
      from access_grant g left join person p on p.person_id = g.person_id and p.enabled
      where g.tenant_id = $1 and (g.claim is not null or p.person_id is not null) order by g.created, g.grant_id`,
    values: [tenantId],
  });
}

/**
 * Takes out what is the customer's alone, so that no other customer gets it: their people, with the rows that name these, and the address that gets
 * their messages.
 */
function withoutPeopleOf({ document }: TemplateContent, people: readonly TenantAccess[]): LeftOut[] {
  const left: LeftOut[] = [];
  const names = new Map(
    people.flatMap(({ personId, userName }) => (personId === null ? [] : [[personId.toLowerCase(), userName ?? ''] as const])),
  );
  for (const [at, name] of [...names.values()].entries())
    left.push({ at: `access[${at}]`, resource: 'people', name, reason: 'Has rights with this customer alone.' });
  for (const [resource, some] of Object.entries(document.rows))
    document.rows[resource] = some.filter((row, at) => {
      const text = JSON.stringify(row).toLowerCase();
      const named = [...names].flatMap(([id, name]) => (text.includes(id) ? [name] : []));
      if (named.length > 0) {
        const title = String(row[requireResource(resource).title] ?? '');
        left.push({
          at: `${resource}[${at}]`,
          resource,
          name: title,
          reason: `Names ${named.join(', ')}, with rights with this customer alone.`,
        });
      }
      return named.length === 0;
    });
  for (const row of document.rows['tenants'] ?? []) {
    const address = row['internalNotificationEmailAddress'];
    if (typeof address !== 'string' || address === '') continue;
    left.push({ at: 'tenants[0]', resource: 'tenants', name: address, reason: 'Gets the messages of this customer alone.' });
    row['internalNotificationEmailAddress'] = null;
  }
  return left;
}

/** Tokens that are in force, as they would be created. What they are worth stays with them. */
async function tokensOf(ctx: Ctx, tenantId: string): Promise<TemplateContent['tokens']> {
  if (!may(ctx, permission('Tokens', 'view'), tenantId)) return [];
  const filter = `tenantId eq ${tenantId} and revokedOn eq null and (expiresOn eq null or expiresOn gt ${ctx.now().toISOString()})`;
  const { value } = await list(ctx, servedOf(tokens), `$filter=${encodeURIComponent(filter)}&$orderby=name&$top=50`);
  // A new token lasts as long as its lifetime says, from when it is made.
  const names = portableFields(tokens).flatMap(([name]) => (name === 'expiresOn' || name === 'tenantId' ? [] : [name]));
  return value.map((row) => {
    const fields: Record<string, unknown> = { ...row };
    return Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
  });
}

/** Takes rows out until none names a row that stays behind. What a row needs may be taken out after it, so this repeats. */
async function withoutForeign(ctx: Ctx, content: TemplateContent): Promise<LeftOut[]> {
  const left: LeftOut[] = [];
  for (;;) {
    const foreign = await foreignByPlace(ctx, content);
    if (foreign.length === 0) return left;
    const words = await wordsOf(
      ctx,
      foreign.map(({ of }) => of),
    );
    const byPlace = Map.groupBy(foreign, ({ at }) => at);
    for (const [at, some] of byPlace) {
      const [first] = some;
      if (first && left.length < limits.reasons)
        left.push({ at, resource: first.resource, name: first.name, reason: `Names ${some.map(({ of }) => words(of)).join(', ')}.` });
    }
    const { rows } = content.document;
    for (const [name, some] of Object.entries(rows)) rows[name] = some.filter((_, i) => !byPlace.has(`${name}[${i}]`));
    content.access = content.access.filter((_, i) => !byPlace.has(`access[${i}]`));
    content.tokens = content.tokens.filter((_, i) => !byPlace.has(`tokens[${i}]`));
  }
}

export async function contentOfTenant(ctx: Ctx, tenantId: string): Promise<{ content: TemplateContent; left: LeftOut[] }> {
  // Whoever makes a template reads the configuration of the tenant.
  requirePermission(ctx, 'Settings', 'view', tenantId);
  const document = await exportDocument(ctx, [], tenantId);
  // What has a tenant stays behind with it.
  const names = Object.fromEntries(Object.entries(document.names ?? {}).map(([name, rows]) => [name, rows.filter((row) => !row.tenantId)]));
  const access = await accessOf(ctx, tenantId);
  const content: TemplateContent = {
    document: { ...document, names, rows: rowsOfTenant(document.rows, tenantId) },
    access: access
      .filter(({ isOfCustomer }) => !isOfCustomer)
      .map(({ userName, claim, permissionSetId }) => ({ userName, claim, permissionSetId })),
    tokens: await tokensOf(ctx, tenantId),
  };
  const ofCustomer = withoutPeopleOf(
    content,
    access.filter(({ isOfCustomer }) => isOfCustomer),
  );
  return { content, left: [...ofCustomer, ...(await withoutForeign(ctx, content))] };
}
