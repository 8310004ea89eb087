import { randomUUID } from 'node:crypto';
import type { Ctx } from '../../../ctx.ts';

type Columns = Record<string, unknown>;

interface Written {
  verb: 'create' | 'update' | 'promote';
  entity: 'devices' | 'pendingDevices' | 'tenants' | 'subscriptions' | 'tokens';
  entityId: string;
  tenantId: string;
  before: Columns | null;
  after: Columns | null;
}

/** Writes the audit and the change row of one write, in the caller's transaction. */
export async function record(ctx: Ctx, written: Written): Promise<void> {
  const { verb, entity, entityId, tenantId, before, after } = written;
  await ctx.db.query({
    name: 'agent-record',
    text: `with kept as (
        insert into audit (tenant_id, actor_kind, actor_id, actor_name, verb, entity, entity_id, before, after, correlation_id, address)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
      )
      insert into change (tenant_id, verb, entity, entity_id, correlation_id) values ($1, $5, $6, $7, $10)`,
    values: [
      tenantId, ctx.actor.kind, ctx.actor.id, ctx.actor.name, verb, entity, entityId,
      before && JSON.stringify(asSent(before)), after && JSON.stringify(asSent(after)), ctx.correlationId, ctx.address ?? null,
    ],
  });
}

/** Column names become those that travel, so that one audit reader understands every entry. */
function asSent(columns: Columns): Columns {
  return Object.fromEntries(Object.entries(columns).map(([name, value]) => [name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), value]));
}

/** Wakes the agents and the caches that hold one of these devices, in all processes, once the write has committed. */
export async function notifyDevices(ctx: Ctx, deviceIds: readonly string[]): Promise<void> {
  await ctx.db.query({ text: `select pg_notify('devices', $1)`, values: [JSON.stringify(deviceIds)] });
}

/** The same ctx with a correlation id of its own, for work that no request caused. */
export function uncaused(ctx: Ctx): Ctx {
  return { ...ctx, correlationId: randomUUID() };
}
