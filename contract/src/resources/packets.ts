import { z } from 'zod/mini';
import { defineResource, f, one } from '../resource.ts';

const scalar = z.union([z.string(), z.boolean(), z.number(), z.null()]);

/** What an entity reports: Metrics are numbers; States, Properties and Value scalars; Diagnostics JSON. */
export const packetMessage = z.object({
  Value: z.optional(scalar),
  Properties: z.optional(z.record(z.string(), scalar)),
  Metrics: z.optional(z.record(z.string(), z.number())),
  States: z.optional(z.record(z.string(), scalar)),
  Diagnostics: z.optional(z.json()),
});

export type PacketMessage = z.infer<typeof packetMessage>;

/** The latest packet of each entity; the history has a separate table. */
export const packets = defineResource({
  name: 'packets',
  label: 'Packet',
  plural: 'Packets',
  key: 'entityId',
  title: 'entityId',
  area: 'Packets',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  // Not by time: a report replaces the row of its entity, so the row would move while a client reads page after page.
  orderBy: 'entityId asc',
  fields: {
    entityId: f.guid('Entity ID', { write: 'never' }),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    timestamp: f.timestamp('Timestamp', { write: 'never' }),
    receivedTimestamp: f.timestamp('Received', { write: 'never' }),
    message: f.json('Message', () => packetMessage, { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
