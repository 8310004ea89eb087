import { z } from 'zod/mini';
import { defineResource, f, guidSchema, optional } from '../resource.ts';

export const tenantsInGroup = 5_000;

/** A named set of tenants for which a rule is written once. A tenant may be in several. */
export const tenantGroups = defineResource({
  name: 'tenantGroups',
  label: 'Tenant Group',
  plural: 'Tenant Groups',
  about: 'A named set of tenants, for which rules are written once. Seen by those who see all of its tenants.',
  key: 'tenantGroupId',
  title: 'name',
  area: 'Tenants',
  scope: { kind: 'installation' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  portable: { by: ['name'], after: ['tenants'] },
  fields: {
    tenantGroupId: f.key('Tenant group ID'),
    name: f.text('Name', { required: true, search: true }),
    description: optional(f.text('Description', { max: 4_000, search: true })),
    tenantIds: f.json(
      'Tenants',
      () =>
        z
          .array(guidSchema, { error: 'Please choose the tenants of the group.' })
          .check(z.minLength(1, 'A group has at least one tenant.'), z.maxLength(tenantsInGroup, 'A group has at most 5000 tenants.')),
      { required: true, initial: [] as string[], input: 'multiline' },
    ),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
});
