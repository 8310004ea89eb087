import { defineResource, f, one, optional } from '../resource.ts';

/** Gives a permission set to a person or to a value of the sign-in's group claim, in one tenant or (null) in all. */
export const grants = defineResource({
  name: 'grants',
  label: 'Grant',
  plural: 'Grants',
  key: 'grantId',
  title: 'grantId',
  area: 'People',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'create', 'delete'],
  orderBy: 'created desc',
  portable: { by: ['personId', 'claim', 'permissionSetId', 'tenantId'], imported: 'only' },
  fields: {
    grantId: f.key('Grant ID'),
    personId: optional(f.ref('Person', 'people', { write: 'create' })),
    claim: optional(
      f.text('Group claim', { write: 'create', search: true, help: 'Instead of a person: everybody whose sign-in names this group' }),
    ),
    permissionSetId: f.ref('Permission set', 'permissionSets', { required: true, write: 'create' }),
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'create' })),
    created: f.timestamp('Created', { write: 'never' }),
  },
  relations: {
    person: one('people', 'personId'),
    permissionSet: one('permissionSets', 'permissionSetId'),
    tenant: one('tenants', 'tenantId'),
  },
});
