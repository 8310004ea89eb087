import { defineResource, f, one, optional } from '../resource.ts';

/** A place of devices. Every tenant may use a location without a tenant. */
export const locations = defineResource({
  name: 'locations',
  label: 'Location',
  plural: 'Locations',
  key: 'locationId',
  title: 'name',
  area: 'Locations',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  portable: { by: ['tenantId', 'name'] },
  fields: {
    locationId: f.key('Location ID'),
    name: f.text('Name', { required: true, search: true }),
    tenantId: optional(f.ref('Tenant', 'tenants')),
    address1: optional(f.text('Address 1')),
    address2: optional(f.text('Address 2')),
    city: optional(f.text('City', { search: true })),
    state: optional(f.text('State', { search: true })),
    country: optional(f.text('Country')),
    postalCode: optional(f.text('Postal code', { max: 20 })),
    coordinates: optional(f.text('Coordinates', { max: 60, help: 'Latitude, longitude' })),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
