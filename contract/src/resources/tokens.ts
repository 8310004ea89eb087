import { z } from 'zod/mini';
import { permission, type Permission } from '../permissions.ts';
import { defineResource, f, one, optional } from '../resource.ts';

/** What a token may do beyond its permission set: register and run agents, send packets, and write as an assistant (`/mcp`). */
export const tokenScopes = ['agent', 'ingest', 'assistant'] as const;

/**
 * By scope: the permission in the tenant that a person needs to give a token the scope. A token loses the scope when its owner
 * loses the permission.
 */
export const scopePermissions: Readonly<Record<(typeof tokenScopes)[number], Permission>> = {
  agent: permission('PendingDevices', 'create'),
  ingest: permission('Packets', 'create'),
  assistant: permission('WorkUnits', 'edit'),
};

/** The permissions that a person needs to promote machines, or to create a token that promotes machines. */
export const promotionPermissions: readonly Permission[] = [permission('PendingDevices', 'edit'), permission('Devices', 'create')];

const networks = z
  .array(z.string().check(z.maxLength(49)), { error: 'Networks are a list of texts.' })
  .check(z.maxLength(20, { error: 'A token is limited to at most 20 networks.' }));

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
 * A tenant's token for agents or an integration. Only the answer to its creation contains `generatedToken`; the server
 * stores its hash. A token without a tenant is valid for all tenants and is created on the command line. Its owner is
 * the person who created it; in each call, the token has only permissions that its owner has too. Tokens of the
 * command line and of earlier versions have no owner.
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
    /** Default: the end of the lifetime. A client can set an earlier time at the creation. */
    expiresOn: optional(f.timestamp('Expires on', { write: 'create' })),
    revokedOn: optional(f.timestamp('Revoked on', { write: 'never' })),
    lastUsed: optional(f.timestamp('Last used', { write: 'never' })),
    tenantId: optional(f.ref('Tenant', 'tenants', { required: true, write: 'create' })),
    scopes: f.json('Scopes', () => scopes, { initial: ['agent', 'ingest'], write: 'create' }),
    permissionSetId: optional(
      f.ref('Permission set', 'permissionSets', { write: 'create', help: 'What it may read and write besides its scopes' }),
    ),
    tokenHint: f.text('Token', { write: 'never' }),
    ownerId: optional(f.ref('Owner', 'people', { write: 'never' })),
    machinesPerMinute: f.int('New machines a minute', {
      min: 1,
      max: 100_000,
      initial: 50,
      help: 'How many machines may register by it for the first time',
    }),
    machinesInAll: f.int('New machines in all', { min: 1, max: 10_000_000, initial: 1_000 }),
    machinesEnrolled: f.int('Enrolled machines', { write: 'never' }),
    networks: f.json('Networks', () => networks, { initial: [], help: 'Networks that may use it, separated by commas. Empty: all' }),
    /**
     * The subscription to which machines that register by this token are promoted automatically; null if such machines wait
     * for a person.
     */
    promoteTo: optional(f.ref('Promote to', 'subscriptions', { write: 'create' })),
    promoteLocationId: optional(f.ref('Location of its devices', 'locations', { write: 'create' })),
    promoteNames: optional(f.text('Promoted names', { write: 'create', help: 'The machine name; * stands for any text. Empty: all' })),
    promoteNetworks: f.json('Promoted networks', () => networks, { initial: [], write: 'create' }),
    promoteHeartbeat: optional(f.int('Heartbeat of its devices', { min: 0, max: 999_999_999, write: 'create' })),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    permissionSet: one('permissionSets', 'permissionSetId'),
    owner: one('people', 'ownerId', 'personId'),
    promotionSubscription: one('subscriptions', 'promoteTo', 'subscriptionId'),
    promotionLocation: one('locations', 'promoteLocationId', 'locationId'),
  },
});
