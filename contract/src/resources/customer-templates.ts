import { z } from 'zod/mini';
import { defineResource, f, optional } from '../resource.ts';

/** What a new customer begins with. Its content is a configuration of one tenant, which nobody else's rows are part of. */
export const customerTemplates = defineResource({
  name: 'customerTemplates',
  label: 'Customer Template',
  plural: 'Customer Templates',
  about: 'What a new customer begins with: a configuration of one tenant with its grants and tokens. Seen by those who see all tenants.',
  key: 'customerTemplateId',
  title: 'name',
  area: 'Tenants',
  scope: { kind: 'installation' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  fields: {
    customerTemplateId: f.key('Customer template ID'),
    name: f.text('Name', { required: true, search: true }),
    description: optional(f.text('Description', { max: 4_000, search: true })),
    content: f.json('Content', () => z.record(z.string(), z.unknown(), { error: 'The content is an object with a document.' }), {
      required: true,
    }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
});
