import { z } from 'zod';
import { defineResource, f, many, optional, type Field } from '../resource.ts';

/** Definition of one custom work unit field of a tenant (TEN-009..011). */
export const customFieldDefinition = z.object({
  Name: z.string().min(1, 'A custom field needs a name.').max(100),
  Type: z.union([z.literal(1), z.literal(2)]),
  Options: z.string().max(2_000).optional(),
});

export type CustomFieldDefinition = z.infer<typeof customFieldDefinition>;

const slots = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] as const;
type Slot = (typeof slots)[number];

const definitions = Object.fromEntries(
  slots.map((n) => [`workUnitFieldDef${n}`, optional(f.json(`Custom field ${n}`, customFieldDefinition))]),
) as Record<`workUnitFieldDef${Slot}`, Field<CustomFieldDefinition | null>>;

/** A customer organisation; owns subscriptions. */
export const tenants = defineResource({
  name: 'tenants',
  label: 'Tenant',
  plural: 'Tenants',
  key: 'tenantId',
  title: 'name',
  area: 'Tenants',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update'],
  orderBy: 'name asc',
  fields: {
    tenantId: f.key('Tenant ID'),
    name: f.text('Name', { required: true, search: true }),
    internalNotificationEmailAddress: optional(f.text('Internal notification email', { max: 320 })),
    assignmentGroups: optional(f.text('Assignment groups', { max: 4_000, input: 'text', help: 'Names, separated by commas' })),
    enabled: f.boolean('Enabled', { initial: true }),
    ...definitions,
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { subscriptions: many('subscriptions', 'tenantId') },
});
