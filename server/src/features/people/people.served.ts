import { sql, type RawBuilder } from 'kysely';
import { permission } from '@cloudfit/contract/permissions.ts';
import { grants } from '@cloudfit/contract/resources/grants.ts';
import { people } from '@cloudfit/contract/resources/people.ts';
import { permissionSets } from '@cloudfit/contract/resources/permission-sets.ts';
import { reachOf, type Ctx } from '../../context/ctx.ts';
import { beyondOwn, permissionsOfSet } from '../../auth/beyond-own.ts';
import { invalidatePeople } from '../../auth/invalidate.ts';
import { lockOut } from '../../auth/sessions.ts';
import { compile } from '../../query/compile.ts';
import { serve } from '../../resources/served.ts';

/** People of the tenants whose people the caller may view, and the caller; who may in all tenants sees everybody. */
function seenBy(ctx: Ctx, t: string): RawBuilder<boolean> | undefined {
  const scope = reachOf(ctx, [permission('People', 'view')]);
  if (scope === 'all') return undefined;
  const self = ctx.actor.kind === 'person' ? sql`${sql.ref(`${t}.person_id`)} = ${ctx.actor.id}::uuid or ` : sql``;
  return sql<boolean>`(${self}exists (select from access_grant g where g.person_id = ${sql.ref(`${t}.person_id`)} and g.tenant_id = any(${[...scope]}::uuid[])))`;
}

/** To be given a grant makes a person seen in its tenant, so only those are given one who are seen already. */
async function isSeen(ctx: Ctx, personId: string): Promise<boolean> {
  const visible = seenBy(ctx, 'p') ?? sql<boolean>`true`;
  const rows = await ctx.db.query(compile(sql`select 1 from person p where p.person_id = ${personId}::uuid and ${visible}`));
  return rows.length > 0;
}

export const servedPeople = serve(people, 'person', {
  rowsFor: seenBy,
  after: async (ctx, { before, after }) => {
    if (before?.enabled && !after.enabled) await lockOut(ctx.db, after.personId);
    await invalidatePeople(ctx.db);
  },
});

export const servedPermissionSets = serve(permissionSets, 'permission_set', {
  check: (ctx, { verb, after }) =>
    verb === 'delete' || ctx.actor.kind === 'system' ? [] : beyondOwn(ctx, after.tenantId, after.permissions, 'permissions'),
  after: (ctx) => invalidatePeople(ctx.db),
});

export const servedGrants = serve(grants, 'access_grant', {
  check: async (ctx, { verb, after }) => {
    if (verb === 'delete') return [];
    const targets = [after.personId, after.claim].filter((v) => v !== null && v !== undefined);
    if (targets.length !== 1) return [{ target: 'personId', message: 'Name either a person or a group claim.' }];
    if (ctx.actor.kind === 'system') return [];
    if (after.personId && !(await isSeen(ctx, after.personId))) return [{ target: 'personId', message: 'Person was not found.' }];
    return beyondOwn(ctx, after.tenantId ?? null, await permissionsOfSet(ctx, after.permissionSetId), 'permissionSetId');
  },
  after: (ctx) => invalidatePeople(ctx.db),
});
