import { z } from 'zod/mini';
import { defineResource, f, many, optional, type Field } from '../resource.ts';
import { asLines, asOneLine } from '../text-checks.ts';

export const customFieldTypes = { textbox: 1, dropdown: 2 } as const;

/** Definition of one custom work unit field of a tenant (TEN-009..011). `Options` are separated by commas. */
export const customFieldDefinition = z
  .object({
    Name: z.string({ error: 'A custom field needs a name.' }).check(
      ...asOneLine('The name of a custom field'),
      z.maxLength(100, 'The name of a custom field is at most 100 characters.'),
      z.refine((name) => name.trim() !== '', 'A custom field needs a name.'),
    ),
    Type: z.union([z.literal(customFieldTypes.textbox), z.literal(customFieldTypes.dropdown)], {
      error: 'The type of a custom field is 1 Textbox or 2 Dropdown.',
    }),
    Options: z.nullish(
      z
        .string()
        .check(
          ...asLines('The options of a custom field'),
          z.maxLength(2_000, 'The options of a custom field are at most 2000 characters.'),
        ),
    ),
  })
  .check(
    z.superRefine(({ Type, Options }, context) => {
      const hasOptions = (Options ?? '').trim() !== '';
      if (hasOptions === (Type === customFieldTypes.dropdown)) return;
      context.addIssue(hasOptions ? 'Only a dropdown has options.' : 'A dropdown needs options.');
    }),
  );

export type CustomFieldDefinition = z.infer<typeof customFieldDefinition>;

export const customFieldSlots = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] as const;
export type CustomFieldSlot = (typeof customFieldSlots)[number];

/** The fields with the names of the custom fields, which the definitions set. */
const columns = Object.fromEntries(
  customFieldSlots.map((n) => [`workUnitField${n}`, optional(f.text(`Custom field ${n} name`, { write: 'never' }))]),
) as Record<`workUnitField${CustomFieldSlot}`, Field<string | null>>;

const definitions = Object.fromEntries(
  customFieldSlots.map((n) => [`workUnitFieldDef${n}`, optional(f.json(`Custom field ${n}`, () => customFieldDefinition))]),
) as Record<`workUnitFieldDef${CustomFieldSlot}`, Field<CustomFieldDefinition | null>>;

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
  portable: { by: ['name'] },
  fields: {
    tenantId: f.key('Tenant ID'),
    name: f.text('Name', { required: true, search: true }),
    internalNotificationEmailAddress: optional(
      f.text('Internal notification email', {
        max: 320,
        pattern: /^([^\s@,;]+@[^\s@,;]+)?$/,
        message: 'Please enter a valid email address.',
      }),
    ),
    assignmentGroups: optional(f.text('Assignment groups', { max: 4_000, input: 'text', help: 'Names, separated by commas' })),
    enabled: f.boolean('Enabled', { initial: true }),
    changesNeedApproval: f.boolean('Changes need approval', {
      initial: true,
      help: 'A Change Request starts when its approvers have approved it',
    }),
    onlyTrustedPublishers: f.boolean('Only packages of trusted publishers', {
      help: 'Devices refuse packages that no trusted publisher has signed, except those that come with the server',
    }),
    ...columns,
    ...definitions,
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { subscriptions: many('subscriptions', 'tenantId'), secrets: many('tenantSecrets', 'tenantId') },
});
