import { defineResource, f, one } from '../resource.ts';

/** A name for `{Secret:name}`, without spaces. */
export const secretName = /^[A-Za-z0-9_][\w.-]*$/;

/**
 * A named value of a tenant that the database stores encrypted. The value is not a field: only the calls of
 * `actions/tenant-secrets.ts` write and read it, and running actions fill it into `{Secret:name}`.
 */
export const tenantSecrets = defineResource({
  name: 'tenantSecrets',
  label: 'Secret',
  plural: 'Secrets',
  key: 'id',
  title: 'name',
  area: 'Tenants',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'name asc',
  fields: {
    id: f.key('Secret ID'),
    tenantId: f.ref('Tenant', 'tenants', { required: true, write: 'create' }),
    name: f.text('Name', {
      required: true,
      search: true,
      max: 100,
      write: 'create',
      pattern: secretName,
      message: 'A secret needs a name of letters, digits, dots, dashes and underscores.',
    }),
    latestVersion: f.int('Latest version', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
