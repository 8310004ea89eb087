import { actorName, type Ctx } from '../../../ctx.ts';

interface Written {
  verb: 'create' | 'update';
  entity: 'pendingDevices' | 'tokens';
  entityId: string;
  tenantId: string;
  before: object | null;
  after: object;
}

/** Audit and change of a write to a table that the resource engine does not serve, in the caller's transaction. */
export async function record(ctx: Ctx, { verb, entity, entityId, tenantId, before, after }: Written): Promise<void> {
  await ctx.db.query({
    name: 'agent-record',
    text: `with audited as (insert into audit (tenant_id, actor_kind, actor_id, actor_name, verb, entity, entity_id, before, after, correlation_id, address)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11))
      insert into change (tenant_id, verb, entity, entity_id, correlation_id) values ($1, $5, $6, $7, $10)`,
    values: [
      tenantId,
      ctx.actor.kind,
      ctx.actor.id,
      actorName(ctx),
      verb,
      entity,
      entityId,
      before && JSON.stringify(before),
      JSON.stringify(after),
      ctx.correlationId,
      ctx.address ?? null,
    ],
  });
}
