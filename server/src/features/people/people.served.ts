import { sql, type RawBuilder } from '../../db/sql.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { grants } from '@cloudfit/contract/resources/grants.ts';
import { people } from '@cloudfit/contract/resources/people.ts';
import { isShippedSet, permissionSets } from '@cloudfit/contract/resources/permission-sets.ts';
import { tenantScopeWith, type Ctx } from '../../context/ctx.ts';
import { escalationFaults, permissionsOfSet } from '../../auth/escalation-faults.ts';
import { invalidatePeople } from '../../auth/invalidate.ts';
import { grantsOfPerson } from '../../auth/grants.ts';
import { administers, requireAdministrators } from '../../auth/administrators.ts';
import { shippedSets } from '../../auth/shipped.ts';
import { tenantProblem } from '../../auth/directories/directory-tenants.ts';
import { lockOut } from '../../auth/sessions.ts';
import { compile } from '../../db/compile.ts';
import { serve, type FieldError } from '../../resources/served.ts';

/**
 * Limits people to those of tenants whose people the caller may view, and the caller. With the permission in all tenants,
 * nobody is left out.
 */
function seenBy(ctx: Ctx, t: string): RawBuilder<boolean> | undefined {
  const scope = tenantScopeWith(ctx, [permission('People', 'view')]);
  if (scope === 'all') return undefined;
  const self = ctx.actor.kind === 'person' ? sql`${sql.ref(`${t}.person_id`)} = ${ctx.actor.id}::uuid or ` : sql``;
  return sql<boolean>`(${self}exists (select from access_grant g where g.person_id = ${sql.ref(`${t}.person_id`)} and g.tenant_id = any(${[...scope]}::uuid[])))`;
}

/** A grant makes a person visible in its tenant, so the caller may give one only to a person whom the caller sees already. */
async function isSeen(ctx: Ctx, personId: string): Promise<boolean> {
  const visible = seenBy(ctx, 'p') ?? sql<boolean>`true`;
  const rows = await ctx.db.query(compile(sql`select 1 from person p where p.person_id = ${personId}::uuid and ${visible}`));
  return rows.length > 0;
}

/**
 * Fields that decide whether a person can sign in. For another person, only a caller who has all permissions of that person may
 * change them.
 */
const signInFields: readonly string[] = ['enabled', 'userName', 'email'];

export async function escalationFaultsOfPerson(ctx: Ctx, personId: string, target: string): Promise<FieldError[]> {
  const grants = await ctx.db.query<{ tenant_id: string | null; permissions: string[] }>({
    text: `select g.tenant_id, s.permissions from person p join access_grant g on ${grantsOfPerson}
      join permission_set s using (permission_set_id) where p.person_id = $1`,
    values: [personId],
  });
  return grants.flatMap((grant) => escalationFaults(ctx, grant.tenant_id, grant.permissions, target, 'take away')).slice(0, 1);
}

export const servedPeople = serve(people, 'person', {
  rowsFor: seenBy,
  // Nobody has verified the new address, so it must not be used where a verified one is needed.
  fill: (_ctx, { verb, before, after, changed }) =>
    verb === 'update' && changed.includes('email') && before?.email?.toLowerCase() !== after.email?.toLowerCase()
      ? { emailVerified: false }
      : {},
  check: (ctx, { verb, after, changed }) => {
    const field = changed.find((name) => signInFields.includes(name));
    if (verb !== 'update' || field === undefined || ctx.actor.kind === 'system' || ctx.actor.id === after.personId) return [];
    return escalationFaultsOfPerson(ctx, after.personId, field);
  },
  after: async (ctx, { before, after }) => {
    if (before?.enabled && !after.enabled) {
      await requireAdministrators(ctx.db, await administers(ctx.db, after.personId));
      await lockOut(ctx.db, after.personId);
    }
    await invalidatePeople(ctx.db);
  },
});

export const servedPermissionSets = serve(permissionSets, 'permission_set', {
  check: (ctx, { verb, before, after, changed }) => {
    if (ctx.actor.kind === 'system') return [];
    // The permissions of a shipped set cannot change; whether it requires a second factor is the installation's choice.
    const isDemand = verb === 'update' && changed.every((name) => name === 'requiresPasskey');
    if (verb !== 'create' && isShippedSet(after.permissionSetId) && !isDemand)
      return [
        { target: 'permissionSetId', message: `${after.name} comes with the product and stays as it is. Make a set of your own instead.` },
      ];
    const left: readonly string[] = verb === 'delete' ? [] : after.permissions;
    const lost = (before?.permissions ?? []).filter((permission) => !left.includes(permission));
    return [
      ...escalationFaults(ctx, after.tenantId, lost, 'permissions', 'take away'),
      ...escalationFaults(ctx, after.tenantId, left, 'permissions'),
    ];
  },
  after: (ctx) => invalidatePeople(ctx.db),
});

export const servedGrants = serve(grants, 'access_grant', {
  check: async (ctx, { verb, after }) => {
    const targets = [after.personId, after.claim].filter((v) => v !== null && v !== undefined);
    if (targets.length !== 1) return [{ target: 'personId', message: 'Send either a person or a group claim.' }];
    if (ctx.actor.kind === 'system') return [];
    const permissions = await permissionsOfSet(ctx, after.permissionSetId);
    if (verb === 'delete') return escalationFaults(ctx, after.tenantId ?? null, permissions, 'permissionSetId', 'take away');
    if (after.personId && !(await isSeen(ctx, after.personId))) return [{ target: 'personId', message: 'Person was not found.' }];
    const outside = await tenantProblem(ctx, after);
    if (outside !== undefined) return [{ target: 'tenantId', message: outside }];
    return escalationFaults(ctx, after.tenantId ?? null, permissions, 'permissionSetId');
  },
  after: async (ctx, { verb, after }) => {
    if (verb === 'delete' && after.permissionSetId === shippedSets.administrator.id && (await hadHolder(ctx, after)))
      await requireAdministrators(ctx.db, [after.tenantId]);
    await invalidatePeople(ctx.db);
  },
});

/** Whether a person who can sign in had this grant. */
async function hadHolder(ctx: Ctx, { personId, claim }: { personId: string | null; claim: string | null }): Promise<boolean> {
  const rows = await ctx.db.query({
    text: 'select 1 from person where enabled and (person_id = $1::uuid or $2::text = any(claims)) limit 1',
    values: [personId, claim],
  });
  return rows.length > 0;
}
