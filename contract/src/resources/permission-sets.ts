import { z } from 'zod/mini';
import { isPermission } from '../permissions.ts';
import { defineResource, f, many, one, optional } from '../resource.ts';

const permissionText = z.string().check(z.refine(isPermission, { error: (issue) => `${String(issue.input)} is not a permission.` }));

/** Whether the set comes with the product. Such sets have ids with this prefix; nobody changes their permissions. */
export function isShippedSet(permissionSetId: string): boolean {
  return permissionSetId.startsWith('00000000-0000-4000-8000-0000000000a');
}

/** A named list of permission strings; the shipped ones are global. */
export const permissionSets = defineResource({
  name: 'permissionSets',
  label: 'Permission Set',
  plural: 'Permission Sets',
  key: 'permissionSetId',
  title: 'name',
  area: 'People',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  portable: { by: ['tenantId', 'name'] },
  fields: {
    permissionSetId: f.key('Permission set ID'),
    name: f.text('Name', { required: true, search: true }),
    description: optional(f.text('Description', { max: 500, input: 'multiline' })),
    /** Never changes, because grants and tokens of the tenant depend on the set. */
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'create' })),
    permissions: f.json('Permissions', () => z.array(permissionText).check(z.maxLength(200)), { required: true }),
    /** A one-time code fulfils this too; the name is older than one-time codes. */
    requiresPasskey: f.boolean('Requires a second factor', {
      initial: false,
      help: 'People who have rights by this set sign in with a passkey, or with a password and a one-time code; those without either set one up at their next sign-in',
    }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { grants: many('grants', 'permissionSetId'), tenant: one('tenants', 'tenantId') },
});
