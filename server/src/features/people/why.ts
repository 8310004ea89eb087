/** Explains what a person may do: the required permissions, the grants that give them, and who may give missing ones. */
import type { Action } from '@cloudfit/contract/action.ts';
import type { ExplainedAccess } from '@cloudfit/contract/actions/people.ts';
import { ApiError, forbidden, notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import { isPermission, permission, type Permission } from '@cloudfit/contract/permissions.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { findResource, requireResource } from '@cloudfit/contract/resources/registry.ts';
import { accessOf, grantsOfPerson } from '../../auth/grants.ts';
import { may, type Ctx } from '../../context/ctx.ts';
import type { Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import { requireTenant } from '../../resources/disabled-tenants.ts';
import { get } from '../../resources/get.ts';
import { servedNamed } from '../../resources/served.ts';

/**
 * What the person wants to do: it requires one of these permissions in `tenantId` (null: in all tenants, undefined: in any).
 */
interface AccessQuestion {
  subject: string;
  anyOf: readonly Permission[];
  tenantId?: string | null | undefined;
  /** Reads the row as the person; throws if the read is refused. */
  attempt?: (ctx: Ctx) => Promise<unknown>;
}

export interface WhyInput {
  permission?: string | undefined;
  call?: string | undefined;
  entity?: string | undefined;
  key?: string | undefined;
  verb?: 'view' | 'edit' | 'delete';
  tenantId?: string | undefined;
}

const verbOfMethod = { GET: 'view', HEAD: 'view', PUT: 'create', POST: 'edit', PATCH: 'edit', DELETE: 'delete' } as const;

function toView({ area, viewedWith = [] }: Resource): Permission[] {
  return [permission(area, 'view'), ...viewedWith];
}

/** Whether the path matches the declared one; a parameter matches any segment. */
function isPathOf(declared: string, path: readonly string[]): boolean {
  const parts = declared.split('/').filter(Boolean);
  return parts.length === path.length && parts.every((part, i) => part.startsWith('{') || part.toLowerCase() === path[i]?.toLowerCase());
}

function questionOfCall(call: string, tenantId: string | undefined, actions: readonly Action[]): AccessQuestion {
  const [, method = '', url = ''] = /^\s*([A-Za-z]+)\s+(\S+)\s*$/.exec(call) ?? [];
  const path = (url.split('?')[0] ?? '')
    .replace(/^\/?api(?=\/v1\b)/i, '')
    .split('/')
    .filter(Boolean);
  const verb = verbOfMethod[method.toUpperCase() as keyof typeof verbOfMethod];
  const unknown = validationFailed([{ target: 'call', message: 'Unknown call. Write it as in the documentation: PUT /v1/devices.' }]);
  if (!verb) throw unknown;
  const subject = `${method.toUpperCase()} ${url}`;
  const action = actions.find((action) => action.method === method.toUpperCase() && isPathOf(action.path, path));
  if (action) {
    const { access } = action;
    if (access === 'anonymous' || access === 'signed-in') return { subject, anyOf: [] };
    if ('scope' in access)
      throw validationFailed([{ target: 'call', message: `This call is for tokens with the scope ${access.scope}, not for people.` }]);
    return { subject, anyOf: 'anyOf' in access ? access.anyOf : [permission(access.area, access.verb)], tenantId };
  }
  const resource = findResource(path[1]?.replace(/\(.*$/, '') ?? '');
  if (path[0]?.toLowerCase() !== 'v1' || !resource || path.length > 3) throw unknown;
  return { subject, anyOf: verb === 'view' ? toView(resource) : [permission(resource.area, verb)], tenantId };
}

/**
 * Returns the question whether the person may do this with the row. Throws 404 if the caller cannot see the row, so that the
 * answer reveals nothing about it.
 */
async function questionOfRow(ctx: Ctx, entity: string, key: string, verb: 'view' | 'edit' | 'delete'): Promise<AccessQuestion> {
  const resource = findResource(entity);
  if (!resource)
    throw validationFailed([{ target: 'entity', message: `Unknown entity ${entity}. Send the name of an entity, such as devices.` }]);
  const served = servedNamed(requireResource(entity).name);
  const row = await get(ctx, served, key);
  const { scope, label, title } = resource;
  const tenantId = scope.kind === 'installation' ? null : ((row[scope.field] as string | null | undefined) ?? null);
  const isGlobalView = verb === 'view' && tenantId === null;
  return {
    subject: `${verb} ${label} ${String(row[title] ?? key)}`,
    anyOf: verb === 'view' ? toView(resource) : [permission(resource.area, verb)],
    tenantId: isGlobalView ? undefined : tenantId,
    attempt: (person) => get(person, served, key),
  };
}

async function questionOf(ctx: Ctx, input: WhyInput, actions: readonly Action[]): Promise<AccessQuestion> {
  const { permission: required, call, entity, key, verb = 'view', tenantId } = input;
  const kinds = [required, call, entity].filter((item) => item !== undefined);
  if (kinds.length !== 1) throw validationFailed([{ target: 'permission', message: 'Send either permission, call, or entity and key.' }]);
  if (tenantId !== undefined) requireTenant(ctx, tenantId);
  if (call !== undefined) return questionOfCall(call, tenantId, actions);
  if (entity !== undefined) {
    if (key === undefined) throw validationFailed([{ target: 'key', message: 'Send the key of the row.' }]);
    return questionOfRow(ctx, entity, key, verb);
  }
  if (required === undefined || !isPermission(required))
    throw validationFailed([{ target: 'permission', message: `${String(required)} is not a permission.` }]);
  return { subject: required, anyOf: [required], tenantId };
}

interface ListedGrant {
  permissionSet: string;
  permissions: string[];
  claim: string | null;
  tenantId: string | null;
  tenantName: string | null;
  isOpen: boolean;
}

const listed = `select s.name as "permissionSet", s.permissions, g.claim, g.tenant_id as "tenantId", t.name as "tenantName", coalesce(t.enabled, true) as "isOpen"
from person p join access_grant g on ${grantsOfPerson} join permission_set s using (permission_set_id) left join tenant t on t.tenant_id = g.tenant_id
where p.person_id = $1 order by t.name collate natural_order nulls first, s.name collate natural_order`;

// People who may give permissions in the tenant: they have the permission in question and may create grants there.
const givers = `select p.name, p.user_name as "userName" from person p join access_grant g on ${grantsOfPerson} join permission_set s using (permission_set_id)
cross join lateral jsonb_array_elements_text(s.permissions) as one (permission)
where p.enabled and (g.tenant_id is null or g.tenant_id = $1::uuid) and one.permission = any($2::text[]) and p.person_id <> $3
group by p.person_id having count(distinct one.permission) = cardinality($2::text[]) order by bool_or(g.tenant_id is not null) desc, p.name limit 5`;

const fitting = `select name from permission_set where permissions ? $1 and (tenant_id is null or tenant_id = $2)
order by jsonb_array_length(permissions), name limit 5`;

async function whoGives(db: Db, personId: string, tenantId: string | null, needed: Permission) {
  const required = [...new Set([permission('People', 'create'), needed])];
  const [people, sets] = await Promise.all([
    db.query<{ name: string; userName: string }>({ text: givers, values: [tenantId, required, personId] }),
    db.query<{ name: string }>({ text: fitting, values: [needed, tenantId] }),
  ]);
  return { askedPeople: people, sets: sets.map(({ name }) => name) };
}

/** Returns why the action is refused for a reason other than a missing permission; null if it is not. */
async function obstacleOf(attempt: AccessQuestion['attempt'], person: Ctx, enabled: boolean, closedTenant: string | undefined) {
  if (!enabled) return 'The account is disabled.';
  if (closedTenant !== undefined) return `The tenant ${closedTenant} is disabled.`;
  if (!attempt) return null;
  return attempt(person).then(
    () => null,
    (error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 404) return 'The rule for such rows hides this one, for example because it is a request of somebody else.';
      return error.status === 403 ? null : error.message;
    },
  );
}

interface AskedPerson {
  name: string;
  user_name: string;
  enabled: boolean;
}

/** Explains what the person may do. `isSeen` returns whether the caller may see grants in a tenant. */
export async function explainPerson(
  ctx: Ctx,
  database: Database,
  personId: string,
  input: WhyInput,
  actions: readonly Action[],
  isSeen: (tenantId: string | null) => boolean,
): Promise<ExplainedAccess> {
  const all = database.scoped('all');
  const { anyOf, tenantId, subject, attempt } = await questionOf(ctx, input, actions);
  if (tenantId && !isSeen(tenantId)) throw forbidden(`You do not have the permission ${permission('People', 'view')} there.`);
  const [who] = await all.query<AskedPerson>({
    text: 'select name, user_name, enabled from person where person_id = $1',
    values: [personId],
  });
  if (!who) throw notFound('Person');
  // Grants that the caller does not see do not count, so that the answer reveals nothing about other tenants.
  const grants = (await all.query<ListedGrant>({ text: listed, values: [personId] })).filter((grant) => isSeen(grant.tenantId));
  const { permissions, tenants } = accessOf(grants.filter(({ isOpen }) => isOpen).map((grant) => [grant.tenantId, grant.permissions]));
  const actor = { kind: 'person' as const, id: personId, name: who.name, userName: who.user_name };
  const person: Ctx = { ...ctx, actor, permissions, tenants, db: database.scoped(tenants) };
  const [place] = tenantId
    ? await ctx.db.query<{ name: string; enabled: boolean }>({
        text: 'select name, enabled from tenant where tenant_id = $1',
        values: [tenantId],
      })
    : [];
  const isHeld = anyOf.length === 0 || anyOf.some((item) => may(person, item, tenantId));
  const obstacle = await obstacleOf(isHeld ? attempt : undefined, person, who.enabled, place?.enabled === false ? place.name : undefined);
  const [first] = anyOf;
  const isAsking = !isHeld && first !== undefined && ctx.tenants.length > 0;
  const missing = isAsking ? await whoGives(all, personId, tenantId ?? null, first) : { askedPeople: [], sets: [] };
  return {
    person: { name: who.name, userName: who.user_name, enabled: who.enabled, groups: grants.flatMap(({ claim }) => claim ?? []) },
    subject,
    ...(tenantId === undefined ? {} : { tenantId }),
    tenantName: place?.name ?? null,
    isAllowed: isHeld && obstacle === null,
    obstacle,
    permissions: anyOf.map((item) => ({
      permission: item,
      grants: grants
        .filter(
          (grant) =>
            grant.isOpen &&
            grant.permissions.includes(item) &&
            (grant.tenantId === null || tenantId === undefined || grant.tenantId === tenantId),
        )
        .map(({ permissionSet, claim, tenantName }) => ({ permissionSet, claim, tenantName })),
    })),
    ...missing,
  };
}
