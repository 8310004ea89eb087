import { z } from 'zod/mini';
import { defineResource, f, guidSchema, one, optional } from '../resource.ts';
import { asOneLine } from '../text-checks.ts';

export const statusComponentsMax = 50;

/** What a component of a status page stands for: all devices of a subscription, a location or a selection, or a block. */
export const componentKinds = ['Subscription', 'Location', 'Selection', 'Block'] as const;

const component = z.object({
  /** The name that the status page shows. */
  name: z
    .string()
    .check(
      ...asOneLine('The name of a component'),
      z.minLength(1, 'Please name the component.'),
      z.maxLength(100, 'The name of a component has at most 100 characters.'),
    ),
  kind: z.enum(componentKinds, { error: `The kind of a component is one of ${componentKinds.join(', ')}.` }),
  of: z.pipe(z.string().check(z.minLength(1, 'Please choose what the component stands for.')), guidSchema),
});

export type StatusComponent = z.infer<typeof component>;

const components = () =>
  z.array(component).check(
    z.maxLength(statusComponentsMax, `A status page has at most ${statusComponentsMax} components.`),
    z.refine((all) => new Set(all.map(({ name }) => name.toLowerCase())).size === all.length, 'Each component has a name of its own.'),
  );

export const statusPages = defineResource({
  name: 'statusPages',
  label: 'Status Page',
  plural: 'Status Pages',
  about: 'A page that anybody can open at `/status/{address}` once it is enabled.',
  key: 'statusPageId',
  title: 'title',
  area: 'Settings',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'title asc',
  portable: { by: ['tenantId', 'title'], after: ['subscriptions', 'locations', 'deviceSelections'], unique: 'address' },
  fields: {
    statusPageId: f.key('Status page ID'),
    tenantId: f.ref('Tenant', 'tenants', { required: true, write: 'create' }),
    title: f.text('Title', {
      required: true,
      max: 100,
      search: true,
      input: 'text',
      message: 'Please enter the title that the public reads.',
    }),
    description: optional(f.text('Introduction', { max: 1_000 })),
    /** The last part of the page's public address. When it is empty, an address is generated that nobody can guess. */
    address: optional(
      f.text('Address', {
        max: 60,
        input: 'text',
        pattern: /^[a-z0-9][a-z0-9-]{1,58}[a-z0-9]$/,
        message: 'The address has 3 to 60 lower-case letters, digits and hyphens.',
      }),
    ),
    enabled: f.boolean('Public'),
    components: f.json('Components', components, { initial: [] as StatusComponent[], input: 'multiline' }),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
    modifiedBy: f.person('Modified by', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
