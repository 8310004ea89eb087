import { defineResource, f, one, optional } from '../resource.ts';

/** Somebody whose signature on packages a tenant trusts; a publisher without a tenant is trusted by all tenants. */
export const publishers = defineResource({
  name: 'publishers',
  label: 'Publisher',
  plural: 'Publishers',
  key: 'publisherId',
  title: 'name',
  area: 'Packages.Publishers',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  fields: {
    publisherId: f.key('Publisher ID'),
    name: f.text('Name', { required: true, search: true }),
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'create' })),
    /** The server stores the key as SPKI in base64, in whatever form it was sent. */
    publicKey: f.text('Public key', {
      required: true,
      write: 'create',
      max: 1_000,
      input: 'multiline',
      help: 'Ed25519, as openssl pkey -pubout prints it',
    }),
    fingerprint: f.text('Fingerprint', { write: 'never', max: 64, search: true, help: 'SHA-256 of the key' }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
