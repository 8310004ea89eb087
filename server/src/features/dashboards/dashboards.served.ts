import { sql } from '../../db/sql.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { dashboards } from '@cloudfit/contract/resources/dashboards.ts';
import { actorName, may, type Ctx } from '../../context/ctx.ts';
import { serve, type FieldError } from '../../resources/served.ts';

const isOwner = ({ actor }: Ctx, ownerId: string | null): boolean => actor.kind === 'system' || (ownerId !== null && actor.id === ownerId);

/**
 * Whether the caller may edit the tenant's settings, and thus all its dashboards that the caller sees, such as those of an
 * owner who has left.
 */
const administers = (ctx: Ctx, tenantId: string): boolean => may(ctx, permission('Settings', 'edit'), tenantId);

export const servedDashboards = serve(dashboards, 'dashboard', {
  rowsFor: ({ actor }, t) =>
    actor.kind === 'system'
      ? undefined
      : sql<boolean>`(${sql.ref(`${t}.sharing`)} <> 'Only me' or ${sql.ref(`${t}.owner_id`)} = ${actor.kind === 'person' ? actor.id : null}::uuid)`,
  fill: (ctx, { verb }) => ({
    modifiedBy: actorName(ctx),
    ...(verb === 'create' ? { createdBy: actorName(ctx), ownerId: ctx.actor.kind === 'person' ? ctx.actor.id : null } : {}),
  }),
  check: (ctx, { verb, before, after, changed }): FieldError[] => {
    if (after.sharing === 'Only me' && after.ownerId === null)
      return [{ target: 'sharing', message: 'A dashboard that a token creates cannot be private. Share it with everybody.' }];
    if (!before || isOwner(ctx, before.ownerId) || administers(ctx, before.tenantId)) return [];
    if (verb === 'delete' || before.sharing !== 'Everybody changes it')
      throw new ApiError(
        'Forbidden',
        `The dashboard ${before.name} was made by ${before.createdBy}, who lets others only see it. Make a copy to change it.`,
      );
    return changed.includes('sharing')
      ? [{ target: 'sharing', message: `Only ${before.createdBy} decides with whom this dashboard is shared.` }]
      : [];
  },
});
