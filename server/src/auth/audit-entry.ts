/** Appends what happened around sign-in and on the command line to the audit. */
import type { Db } from '../db/connection.ts';

export interface AuditEntry {
  actor: { kind: 'person' | 'token' | 'system'; id: string | null; name: string };
  verb: string;
  entity: string;
  entityId: string;
  tenantId?: string | null;
  before?: object;
  after?: object;
  correlationId: string;
  address?: string | undefined;
}

export async function recordAudit(db: Db, entry: AuditEntry): Promise<void> {
  await db.query({
    text: `insert into audit (tenant_id, actor_kind, actor_id, actor_name, verb, entity, entity_id, before, after, correlation_id, address)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    values: [
      entry.tenantId ?? null,
      entry.actor.kind,
      entry.actor.id,
      entry.actor.name,
      entry.verb,
      entry.entity,
      entry.entityId,
      entry.before ? JSON.stringify(entry.before) : null,
      entry.after ? JSON.stringify(entry.after) : null,
      entry.correlationId,
      entry.address ?? null,
    ],
  });
}
