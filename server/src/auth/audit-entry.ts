/** Appends entries to the audit, for events that are not recorded by the common writes of resources. */
import type { Actor } from '../context/ctx.ts';
import type { Db } from '../db/db.ts';
import { grantsOfPerson } from './grants.ts';

export interface AuditEntry {
  actor: { kind: Actor['kind']; id: string | null; name: string };
  verb: string;
  entity: string;
  entityId: string;
  tenantId?: string | null;
  before?: object;
  after?: object;
  correlationId: string;
  address?: string | undefined;
}

/** Returns the values of the columns `actor_kind` to `address`, in the order of both statements below. */
function valuesOf({ actor, verb, entity, entityId, before, after, correlationId, address }: Omit<AuditEntry, 'tenantId'>): unknown[] {
  const json = (row: object | undefined) => (row ? JSON.stringify(row) : null);
  return [actor.kind, actor.id, actor.name, verb, entity, entityId, json(before), json(after), correlationId, address ?? null];
}

export async function recordAudit(db: Db, entry: AuditEntry): Promise<void> {
  await db.query({
    text: `insert into audit (tenant_id, actor_kind, actor_id, actor_name, verb, entity, entity_id, before, after, correlation_id, address)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    values: [entry.tenantId ?? null, ...valuesOf(entry)],
  });
}

/** Audits a change and announces it to lists and live pages, in the transaction of the change. */
export async function recordChange(db: Db, entry: AuditEntry): Promise<void> {
  await recordAudit(db, entry);
  await db.query({
    text: 'insert into change (tenant_id, verb, entity, entity_id, correlation_id) values ($1, $2, $3, $4, $5)',
    values: [entry.tenantId ?? null, entry.verb, entry.entity, entry.entityId, entry.correlationId],
  });
}

/** Number of tenants up to which an event is recorded once per tenant; above it, once for the installation. */
const maxTenants = 20;

/**
 * Audits an event that concerns a person: one entry for each tenant where the person has a grant, so that the
 * administrators of the tenant see it. If the person has a grant for all tenants, grants in more than `maxTenants`
 * tenants, or none, it is one entry of the installation.
 */
export async function recordAboutPerson(db: Db, personId: string, entry: Omit<AuditEntry, 'tenantId'>): Promise<void> {
  await db.query({
    text: `with place as (select distinct g.tenant_id from person p join access_grant g on ${grantsOfPerson} where p.person_id = $1),
      counted as (select count(*) as places, count(*) filter (where tenant_id is null) as everywhere from place)
      insert into audit (tenant_id, actor_kind, actor_id, actor_name, verb, entity, entity_id, before, after, correlation_id, address)
      select place.tenant_id, $2, $3, $4, $5, $6, $7, $8::jsonb, $9::jsonb, $10::uuid, $11
      from counted left join place on counted.everywhere = 0 and counted.places <= ${maxTenants}`,
    values: [personId, ...valuesOf(entry)],
  });
}
