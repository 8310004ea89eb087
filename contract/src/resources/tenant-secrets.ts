import { defineResource, f, one } from '../resource.ts';

/** What `{Secret:name}` can name: no spaces, so that it stands in a placeholder. */
export const secretName = /^[A-Za-z0-9_][\w.-]*$/;

/**
 * A named value of a tenant that is kept encrypted. The value is no field: it is written by the calls of
 * `actions/tenant-secrets.ts`, read by one of them, and filled into `{Secret:name}` when an action is sent.
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
