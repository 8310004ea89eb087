import { z } from 'zod/mini';
import { viewAudit } from '../permissions.ts';
import { defineResource, f, one, optional } from '../resource.ts';

const whole = z.record(z.string(), z.unknown());

/** Who did what to which row, with the row before and after. Entries never change; only AUDIT_RETENTION_DAYS ends them. */
export const audit = defineResource({
  name: 'audit',
  label: 'Audit Entry',
  plural: 'Audit',
  key: 'auditId',
  title: 'entity',
  area: 'Settings',
  viewedWith: [viewAudit],
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'auditId desc',
  fields: {
    auditId: f.serial('Number'),
    at: f.timestamp('At', { write: 'never' }),
    /** Null for entries of the installation, which only callers with the permission in all tenants see. */
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'never' })),
    actorKind: f.choice('Kind of actor', ['person', 'token', 'system'], { write: 'never' }),
    actorId: optional(f.text('Actor ID', { write: 'never' })),
    actorName: f.text('Actor', { write: 'never', search: true }),
    verb: f.text('Verb', { write: 'never', search: true }),
    entity: f.text('Entity', { write: 'never', search: true }),
    entityId: f.text('Entity ID', { write: 'never', search: true }),
    before: optional(f.json('Before', () => whole, { masked: true, write: 'never' })),
    after: optional(f.json('After', () => whole, { masked: true, write: 'never' })),
    correlationId: f.guid('Correlation ID', { write: 'never' }),
    address: optional(f.text('Address', { write: 'never' })),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
