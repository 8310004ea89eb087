import { sql } from 'kysely';
import { permission } from '@cloudfit/contract/permissions.ts';
import { grants } from '@cloudfit/contract/resources/grants.ts';
import { people } from '@cloudfit/contract/resources/people.ts';
import { permissionSets } from '@cloudfit/contract/resources/permission-sets.ts';
import { may } from '../../ctx.ts';
import { beyondOwn, permissionsOfSet } from '../../auth/beyond-own.ts';
import { invalidatePeople } from '../../auth/invalidate.ts';
import { serve } from '../../resources/served.ts';

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
    return beyondOwn(ctx, after.tenantId ?? null, await permissionsOfSet(ctx, after.permissionSetId), 'permissionSetId');
  },
  after: (ctx) => invalidatePeople(ctx.db),
});
