/**
 * Makes a customer from a template in one transaction: whatever fails, or ends the server, leaves nothing of it behind. A dry run makes
 * all of it and takes it back, so what it answers is what would be made.
 */
import type { z } from 'zod';
import type { makeCustomer as makeCustomerCall } from '@cloudfit/contract/customers/calls.ts';
import type { TemplateContent } from '@cloudfit/contract/customers/content.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { customerTemplates } from '@cloudfit/contract/resources/customer-templates.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { grants } from '@cloudfit/contract/resources/grants.ts';
import { subscriptions } from '@cloudfit/contract/resources/subscriptions.ts';
import { tenants } from '@cloudfit/contract/resources/tenants.ts';
import { inTransaction, may, requirePermission, type Ctx } from '../../../context/ctx.ts';
import { create } from '../../../resources/create.ts';
import { get } from '../../../resources/get.ts';
import { servedOf } from '../../../resources/served.ts';
import { importDocument } from '../import.ts';
import { newKeys, type Keys } from '../keys.ts';
import { portableFields } from '../portable.ts';
import { requireContent } from './content.ts';

type NewCustomerRequest = z.infer<typeof makeCustomerCall.input>;
type CreatedCustomer = z.infer<NonNullable<typeof makeCustomerCall.output>>;
type CreatedRows = CreatedCustomer['changes'];

/** What other features do for a new customer. */
export interface CustomerParts {
  createToken(ctx: Ctx, body: object): Promise<{ name: string; generatedToken: string }>;
  /** Invites somebody; returns the link if there is no mail server. */
  invite(ctx: Ctx, person: NewCustomerRequest['people'][number] & { tenantId: string }): Promise<{ link?: string | undefined }>;
}

/** Runs the work; an error names the part of the customer that it is about. */
async function at<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    const details = error.details.length > 0 ? error.details : [{ target: error.target, message: error.message }];
    throw validationFailed(
      details.map(({ target, message }) => ({
        target: target ? `${place}.${target}` : place,
        message: `${place}: ${message ?? error.message}`,
      })),
    );
  }
}

/** The keys of the rows that were made, for the keys that they have in the document. */
function keysOf({ document }: TemplateContent, changes: CreatedRows): Keys {
  const keys = newKeys();
  for (const { at: place = '', resource, key } of changes) {
    const number = /\[(\d+)\]$/.exec(place)?.[1];
    const row = number === undefined ? undefined : document.rows[resource]?.[Number(number)];
    if (row) keys.set(row[requireResource(resource).key], key);
  }
  return keys;
}

/** The fields of the tenant in the document. The new one has a name of its own, and is enabled. */
function tenantFields({ document }: TemplateContent): Record<string, unknown> {
  const row = document.rows['tenants']?.[0] ?? {};
  const names = new Set(portableFields(tenants).map(([name]) => name));
  return Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name) && name !== tenants.key));
}

const nothing: TemplateContent = { document: { cloudfit: 'configuration', version: 1, rows: {} }, access: [], tokens: [] };

async function personNamed(ctx: Ctx, userName: string): Promise<string> {
  const [person] = await ctx.db.query<{ id: string }>({
    text: 'select person_id as id from person where lower(user_name) = lower($1) and enabled',
    values: [userName],
  });
  if (!person)
    throw validationFailed([
      { target: 'userName', message: `${userName} is no enabled person here. Change the template, or invite them.` },
    ]);
  return person.id;
}

async function setName(ctx: Ctx, permissionSetId: string, tenantId: string): Promise<string> {
  const [set] = await ctx.db.query<{ name: string }>({
    text: 'select name from permission_set where permission_set_id = $1 and (tenant_id is null or tenant_id = $2)',
    values: [permissionSetId, tenantId],
  });
  if (!set)
    throw validationFailed([
      { target: 'permissionSetId', message: 'The permission set was not found. Choose one of the template or one for all tenants.' },
    ]);
  return set.name;
}

async function make(
  ctx: Ctx,
  parts: CustomerParts,
  { name, customerTemplateId, people, without }: NewCustomerRequest,
): Promise<Omit<CreatedCustomer, 'dryRun'>> {
  const template = customerTemplateId ? await get(ctx, servedOf(customerTemplates), customerTemplateId) : undefined;
  const content = template ? await requireContent(ctx, template.content) : nothing;
  const { document } = content;
  const isLeft = (place: string): boolean => without?.includes(place) ?? false;
  const places: Readonly<Record<string, readonly unknown[]>> = { ...document.rows, access: content.access, tokens: content.tokens };
  const nowhere = without?.find((place) => {
    const [, of = '', index = ''] = /^(\w+)\[(\d+)\]$/.exec(place) ?? [];
    return places[of]?.[Number(index)] === undefined;
  });
  if (nowhere !== undefined)
    throw validationFailed([
      { target: 'without', message: `The template has nothing at ${nowhere}. Name places of the preview, as rules[3].` },
    ]);
  const { tenantId } = await create(ctx, servedOf(tenants), { ...tenantFields(content), name, enabled: true });
  const tenant: CreatedRows[number] = {
    resource: 'tenants',
    verb: 'add',
    name,
    key: tenantId,
    fields: [{ field: 'name', before: null, after: name }],
  };
  const options = { dryRun: false, tenantId, without, parts: [] };
  const imported = async (rows: typeof document.rows): ReturnType<typeof importDocument> =>
    importDocument(ctx, { ...document, rows: structuredClone(rows) }, options);
  // The sets come first, because the configuration names people, who must have rights in the tenant by then.
  const sets = await imported({ permissionSets: document.rows['permissionSets'] ?? [] });
  const setKeys = keysOf(content, sets.changes);
  const access: CreatedCustomer['access'] = [];
  for (const [i, { userName, claim, permissionSetId }] of content.access.entries()) {
    const place = `access[${i}]`;
    if (isLeft(place)) continue;
    await at(place, async () => {
      const id = String(setKeys.translate(permissionSetId));
      const permissionSet = await setName(ctx, id, tenantId);
      const who = userName ? { personId: await personNamed(ctx, userName) } : { claim };
      await create(ctx, servedOf(grants), { ...who, permissionSetId: id, tenantId });
      access.push({ who: userName ?? claim ?? '', permissionSet });
    });
  }
  const rest = await imported(document.rows);
  const changes = [tenant, ...sets.changes, ...rest.changes];
  if (!document.rows['subscriptions']?.length) {
    const subscription = await create(ctx, servedOf(subscriptions), { name: 'Default', tenantId });
    changes.push({ resource: 'subscriptions', verb: 'add', name: 'Default', key: subscription.subscriptionId, fields: [] });
  }
  const keys = keysOf(content, changes);
  const tokens: CreatedCustomer['tokens'] = [];
  for (const [i, token] of content.tokens.entries()) {
    const place = `tokens[${i}]`;
    if (isLeft(place)) continue;
    const body = { ...(keys.translate(token) as Record<string, unknown>), tenantId };
    const created = await at(place, () => parts.createToken(ctx, body));
    tokens.push({ name: created.name, generatedToken: created.generatedToken });
  }
  const invitations: CreatedCustomer['invitations'] = [];
  for (const [i, person] of people.entries())
    await at(`people[${i}]`, async () => {
      const permissionSetId = String(keys.translate(person.permissionSetId));
      const permissionSet = await setName(ctx, permissionSetId, tenantId);
      const { link } = await parts.invite(ctx, { ...person, permissionSetId, tenantId });
      invitations.push({ email: person.email, name: person.name, permissionSet, ...(link === undefined ? {} : { link }) });
    });
  const controlSets = may(ctx, permission('Compliance', 'view'), null)
    ? await ctx.db.query<{ name: string }>({ text: 'select name from control_set order by name' })
    : [];
  return {
    tenantId,
    name,
    changes,
    names: { ...sets.names, ...rest.names },
    access,
    tokens,
    invitations,
    controlSets: controlSets.map((set) => set.name),
  };
}

/** Thrown to take back what a dry run has made. */
class TriedOnly extends Error {}

export async function makeCustomer(outside: Ctx, parts: CustomerParts, request: NewCustomerRequest): Promise<CreatedCustomer> {
  requirePermission(outside, 'Tenants', 'create', null);
  let created: Omit<CreatedCustomer, 'dryRun'> | undefined;
  try {
    await inTransaction(outside, async (ctx) => {
      created = await make(ctx, parts, request);
      if (request.dryRun) throw new TriedOnly();
    });
  } catch (error) {
    if (!(error instanceof TriedOnly)) throw error;
  }
  if (!created) throw new ApiError('InternalError', 'Nothing was made.');
  // What would open something exists only in what was made.
  const { tokens, invitations } = created;
  return request.dryRun
    ? {
        ...created,
        dryRun: true,
        tokens: tokens.map((token) => ({ name: token.name })),
        invitations: invitations.map(({ link: _link, ...invitation }) => invitation),
      }
    : { ...created, dryRun: false };
}
