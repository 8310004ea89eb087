import { z } from 'zod/mini';
import { defineResource, f, one, optional } from '../resource.ts';

/** What a token may do beyond its permission set: register and run agents, send packets. */
export const tokenScopes = ['agent', 'ingest'] as const;

const scopes = z
  .array(z.enum(tokenScopes, { error: `A scope is one of ${tokenScopes.join(', ')}.` }), { error: 'Scopes are a list.' })
  .check(z.maxLength(tokenScopes.length));

/** Lifetimes of tokens in years (TOK-013); 0 means no expiry. */
export const tokenLifetimes = [
  { value: 1, label: '1 year' },
  { value: 2, label: '2 years' },
  { value: 3, label: '3 years' },
  { value: 0, label: 'Forever' },
] as const;

/**
 * A tenant's token for agents or an integration. Only the answer to its creation contains `generatedToken`; the server stores its
 * hash. A token without a tenant is valid for all tenants and is created on the command line.
 */
export const tokens = defineResource({
  name: 'tokens',
  label: 'Token',
  plural: 'Tokens',
  key: 'tokenGrantId',
  title: 'name',
  area: 'Tokens',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update'],
  orderBy: 'expiresOn asc',
  fields: {
    tokenGrantId: f.key('Token ID'),
    name: f.text('Name', { required: true, search: true }),
    description: optional(f.text('Description', { max: 500, input: 'multiline', search: true })),
    lifetimeYears: f.code('Lifetime', tokenLifetimes, { required: true, write: 'create' }),
    created: f.timestamp('Created', { write: 'never' }),
    expiresOn: optional(f.timestamp('Expires on', { write: 'never' })),
    revokedOn: optional(f.timestamp('Revoked on', { write: 'never' })),
    lastUsed: optional(f.timestamp('Last used', { write: 'never' })),
    tenantId: optional(f.ref('Tenant', 'tenants', { required: true, write: 'create' })),
    scopes: f.json('Scopes', () => scopes, { initial: [...tokenScopes], write: 'create' }),
    permissionSetId: optional(
      f.ref('Permission set', 'permissionSets', { write: 'create', help: 'What it may read and write besides its scopes' }),
    ),
    tokenHint: f.text('Token', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId'), permissionSet: one('permissionSets', 'permissionSetId') },
});
