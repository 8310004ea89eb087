import { z } from 'zod/mini';
import { defineResource, f, one, optional } from '../resource.ts';
import { variableValues, type VariableValues } from './dashboards.ts';

/** The longest time in days after which a link ends by itself. */
export const linkDays = 366;

const networks = z
  .array(z.string().check(z.maxLength(49)), { error: 'Networks are a list of texts.' })
  .check(z.maxLength(20, { error: 'A link is limited to at most 20 networks.' }));

/**
 * An address that shows one dashboard without sign-in. Only the answer to its creation contains `generatedToken`; the server stores
 * its hash. It shows what its maker may see at that time, and nothing once the maker may see nothing.
 */
export const dashboardLinks = defineResource({
  name: 'dashboardLinks',
  label: 'Dashboard Link',
  plural: 'Dashboard Links',
  about: 'An address that shows one dashboard without sign-in, with the present rights of the person who made it.',
  key: 'dashboardLinkId',
  title: 'name',
  area: 'Visualizations',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'created desc',
  fields: {
    dashboardLinkId: f.key('Dashboard link ID'),
    dashboardId: f.ref('Dashboard', 'dashboards', { required: true, write: 'create' }),
    /** The tenant of the dashboard. */
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    name: f.text('Name', {
      required: true,
      search: true,
      max: 100,
      write: 'create',
      help: 'Where it is shown, such as "Screen in the lobby"',
    }),
    expires: f.timestamp('Ends on', { required: true, write: 'create' }),
    networks: f.json('Networks', () => networks, {
      initial: [] as string[],
      write: 'create',
      input: 'multiline',
      help: 'Networks that may open it, separated by commas. Empty: all',
    }),
    /** The values of the dashboard's variables that the link shows. */
    variables: f.json('Shown values', () => variableValues as z.ZodMiniType<VariableValues>, {
      initial: {} as VariableValues,
      write: 'create',
      input: 'multiline',
    }),
    tokenHint: f.text('Token', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
    firstUsed: optional(f.timestamp('First used', { write: 'never' })),
    firstUsedFrom: optional(f.text('First used from', { write: 'never' })),
    lastUsed: optional(f.timestamp('Last used', { write: 'never' })),
    lastUsedFrom: optional(f.text('Last used from', { write: 'never' })),
    ended: optional(f.timestamp('Ended', { write: 'never' })),
    endedBy: optional(f.person('Ended by', { write: 'never' })),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId'), dashboard: one('dashboards', 'dashboardId') },
});
