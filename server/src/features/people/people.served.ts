import { sql } from 'kysely';
import { isPermission, permission } from '@cloudfit/contract/permissions.ts';
import { grants } from '@cloudfit/contract/resources/grants.ts';
import { people } from '@cloudfit/contract/resources/people.ts';
import { permissionSets } from '@cloudfit/contract/resources/permission-sets.ts';
import { may, type Ctx } from '../../ctx.ts';
import { invalidatePeople } from '../../auth/invalidate.ts';
import { serve, type Wrong } from '../../resources/served.ts';

/** People of the caller's tenants and the caller; who holds all tenants sees everybody. */
export const servedPeople = serve(people, 'person', {
  rowsFor: (ctx, t) => {
    if (may(ctx, permission('People', 'view'), null)) return undefined;
    const self = ctx.actor.kind === 'person' ? sql`${sql.ref(`${t}.person_id`)} = ${ctx.actor.id}::uuid or ` : sql``;
    const tenants = ctx.tenants === 'all' ? [] : [...ctx.tenants];
    return sql<boolean>`(${self}exists (select from access_grant g where g.person_id = ${sql.ref(`${t}.person_id`)} and g.tenant_id = any(${tenants}::uuid[])))`;
  },
  after: (ctx) => invalidatePeople(ctx.db),
});

/** Nobody gives what they do not hold themselves: else the right to grant would be every right. */
function beyondOwn(ctx: Ctx, tenantId: string | null, permissions: readonly string[], target: string): Wrong[] {
  const missing = permissions.filter((p) => isPermission(p) && !may(ctx, p, tenantId));
  return missing.length === 0
    ? []
    : [
        {
          target,
          message: `You cannot give permissions that you do not hold: ${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ' and more' : ''}.`,
        },
      ];
}

export const servedPermissionSets = serve(permissionSets, 'permission_set', {
  check: (ctx, { verb, after }) =>
    verb === 'delete' || ctx.actor.kind === 'system' ? [] : beyondOwn(ctx, after.tenantId, after.permissions, 'permissions'),
  after: (ctx) => invalidatePeople(ctx.db),
});

export const servedGrants = serve(grants, 'access_grant', {
  check: async (ctx, { verb, after }) => {
    if (verb === 'delete') return [];
    const given = [after.personId, after.claim].filter((v) => v !== null && v !== undefined);
    if (given.length !== 1) return [{ target: 'personId', message: 'Name either a person or a group claim.' }];
    if (ctx.actor.kind === 'system') return [];
    const [set] = await ctx.db.query<{ permissions: string[] }>({
      text: 'select permissions from permission_set where permission_set_id = $1',
      values: [after.permissionSetId],
    });
    return beyondOwn(ctx, after.tenantId ?? null, set?.permissions ?? [], 'permissionSetId');
  },
  after: (ctx) => invalidatePeople(ctx.db),
});
