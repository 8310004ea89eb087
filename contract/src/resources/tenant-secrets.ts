import { z } from 'zod/mini';
import { defineResource, f, guidSchema, one, optional } from '../resource.ts';

/** The name of a secret, as `{Secret:name}` contains it: no spaces. */
export const secretName = /^[A-Za-z0-9_][\w.-]*$/;

/** Host names separated by commas; `*.example.com` matches its subdomains. */
export const secretHosts = /^\s*(\*\.)?[a-z0-9.:-]+\s*(,\s*(\*\.)?[a-z0-9.:-]+\s*)*$/i;
export const secretHostsWrong = 'Hosts are names such as api.example.com or *.example.com, separated by commas.';

/**
 * A named value of a tenant, stored encrypted. The value is not a field: the calls of `actions/tenant-secrets.ts` write and
 * read it, actions insert it for `{Secret:name}`, and agents read it as a parameter of an operation.
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
    allowedHosts: optional(
      f.text('Allowed hosts', { max: 2_000, input: 'text', pattern: secretHosts, message: secretHostsWrong, write: 'never' }),
    ),
    allowedActions: optional(f.json('Allowed actions', () => z.array(guidSchema), { write: 'never' })),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
