import { defineResource, f, one } from '../resource.ts';

/** A MIB that somebody uploaded: the SNMP operations of the tenant's devices may name its objects. */
export const mibs = defineResource({
  name: 'mibs',
  label: 'MIB',
  plural: 'MIBs',
  about: 'Names of SNMP objects, for the SNMP operations of all devices of the tenant, and for the traps that its sources take.',
  key: 'mibId',
  title: 'name',
  area: 'Packages',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  fields: {
    mibId: f.key('MIB ID'),
    name: f.text('Name', { required: true, search: true }),
    /** The name of the module, as its text has it. */
    module: f.text('Module', { write: 'never', max: 200, search: true }),
    objectCount: f.int('Objects', { write: 'never' }),
    tenantId: f.ref('Tenant', 'tenants', { required: true, write: 'create' }),
    text: f.text('Text', { required: true, max: 1_000_000, input: 'multiline', filter: false, sort: false, help: 'The file of the MIB' }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
