import { defineResource, f, one, optional } from '../resource.ts';

/** Times in which changes need an override, for one tenant or for all. */
export const changeFreezes = defineResource({
  name: 'changeFreezes',
  label: 'Change Freeze',
  plural: 'Change Freezes',
  about:
    'A time in which no change of the tenant may run: one that is planned in it is neither approved nor started, except by an override. One without a tenant is for all tenants.',
  key: 'changeFreezeId',
  title: 'name',
  area: 'Maintenance',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'endsAt desc',
  fields: {
    changeFreezeId: f.key('Change Freeze ID'),
    name: f.text('Name', { required: true, search: true, message: 'Please say why, such as "End of the year".' }),
    startsAt: f.timestamp('From', { required: true }),
    endsAt: f.timestamp('Until', { required: true }),
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'create' })),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
    modifiedBy: f.person('Modified by', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
