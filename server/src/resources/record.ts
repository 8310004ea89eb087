/** The record of a write: the audit row with its exact before and after, and the change row that live pages and automation follow. */
import { sql, type RawBuilder } from 'kysely';
import { actorName, type Ctx } from '../ctx.ts';

interface Entry {
  entity: string;
  verb: string;
  tenantId: RawBuilder<unknown>;
  entityId: RawBuilder<unknown>;
  before: RawBuilder<unknown>;
  after: RawBuilder<unknown>;
  /** Name of the common table expression that holds the written row, or nothing. */
  from?: string;
}

/** Two `with` parts that write audit and change in the statement that writes the row. */
export function recordParts(ctx: Ctx, entry: Entry): RawBuilder<unknown> {
  const from = entry.from ? sql` from ${sql.table(entry.from)}` : sql``;
  return sql`audited as (insert into audit (tenant_id, actor_kind, actor_id, actor_name, verb, entity, entity_id, before, after, correlation_id, address)
    select ${entry.tenantId}, ${ctx.actor.kind}, ${ctx.actor.id}, ${actorName(ctx)}, ${entry.verb}, ${entry.entity}, ${entry.entityId}, ${entry.before}, ${entry.after}, ${ctx.correlationId}::uuid, ${ctx.address ?? null}${from}),
    changed as (insert into change (tenant_id, verb, entity, entity_id, correlation_id)
    select ${entry.tenantId}, ${entry.verb}, ${entry.entity}, ${entry.entityId}, ${ctx.correlationId}::uuid${from})`;
}
