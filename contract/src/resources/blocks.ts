import { z } from 'zod/mini';
import { blockColors, blockTypes } from '../enums.ts';
import { defineResource, f, many, one, optional, type Field } from '../resource.ts';

const invalidId = 'Please enter a valid v4 or v5 GUID';

/** A GUID of version 4 or 5, in lower case. People may choose the ids of blocks. */
const blockIdSchema = z.pipe(
  z.string({ error: invalidId }).check(z.regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[45][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i, invalidId)),
  z.transform((v: string) => v.toLowerCase()),
);

const blockId: Field<string> = { ...f.guid('Block ID', { write: 'create' }), schema: () => blockIdSchema };

/** A tile with the latest packet of one entity: of the block itself, or of the device whose heartbeat it shows (BLK-010..022). */
export const blocks = defineResource({
  name: 'blocks',
  label: 'Block',
  plural: 'Blocks',
  key: 'blockId',
  title: 'name',
  area: 'Blocks',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  fields: {
    blockId,
    name: f.text('Name', { required: true, search: true }),
    description: optional(f.text('Description', { max: 4_000 })),
    blockTypeId: f.code('Type', blockTypes, { required: true, write: 'create' }),
    tenantId: f.ref('Tenant', 'tenants', { required: true, write: 'create' }),
    subscriptionId: f.ref('Subscription', 'subscriptions', { required: true, write: 'create' }),
    entityColor: f.json('Color', () => z.object({ color: z.enum(blockColors, { error: `Color is one of ${blockColors.join(', ')}.` }) }), {
      initial: { color: 'grey' },
      input: 'select',
    }),
    /** The device of a heartbeat block. */
    deviceId: optional(f.ref('Device', 'devices', { write: 'never' })),
    /** The entity whose packets the tile shows. */
    entityId: f.guid('Entity ID', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    subscription: one('subscriptions', 'subscriptionId'),
    device: one('devices', 'deviceId'),
    packet: one('packets', 'entityId'),
    ruleMatches: many('ruleMatches', 'entityId', 'subjectId'),
  },
});
