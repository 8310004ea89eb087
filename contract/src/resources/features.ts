import { defineResource, f } from '../resource.ts';

/** A part of the product that an installation switches on or off. The product ships these rows, with fixed names. */
export const features = defineResource({
  name: 'features',
  label: 'Feature',
  plural: 'Features',
  key: 'featureId',
  title: 'description',
  area: 'Settings',
  scope: { kind: 'installation' },
  verbs: ['list', 'update'],
  orderBy: 'name asc',
  fields: {
    featureId: f.key('Feature ID'),
    name: f.text('Name', { write: 'never', search: true }),
    description: f.text('Description', { required: true, search: true }),
    enabled: f.boolean('Enabled'),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
});
