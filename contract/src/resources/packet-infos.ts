import { z } from 'zod/mini';
import { defineResource, f, one, optional } from '../resource.ts';

/** The value of the latest packet of an entity and its time (OPR-023), as a device operation shows them. */
export const packetInfos = defineResource({
  name: 'packetInfos',
  label: 'Latest value',
  plural: 'Latest values',
  key: 'entityId',
  title: 'entityId',
  area: 'Packets',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'entityId asc',
  fields: {
    entityId: f.guid('Entity ID', { write: 'never' }),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    value: optional(f.json('Value', () => z.union([z.string(), z.boolean(), z.number(), z.null()]), { write: 'never' })),
    /** When the value was measured. */
    age: f.timestamp('Age', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
