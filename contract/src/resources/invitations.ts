import { mailAddress, maxMailAddress } from '../mail-address.ts';
import { defineResource, f, one, optional } from '../resource.ts';

/** An invitation by mail to a permission set in a tenant and, if necessary, an account. Deleting the row withdraws it. */
export const invitations = defineResource({
  name: 'invitations',
  label: 'Invitation',
  plural: 'Invitations',
  key: 'invitationId',
  title: 'email',
  area: 'People',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'delete'],
  orderBy: 'created desc',
  fields: {
    invitationId: f.key('Invitation ID'),
    email: f.text('Email', {
      required: true,
      max: maxMailAddress,
      search: true,
      pattern: mailAddress,
      message: 'Please enter one email address.',
    }),
    // It stands in a mail to somebody else, where an address would be a link.
    name: f.text('Name', {
      required: true,
      search: true,
      pattern: /^(?!.*(?:[@/\\]|\b[wW]{3}\.|[\p{L}\d-]\.[a-z]{2,}(?![\p{L}\d]))).*$/u,
      message: 'Please enter the name of a person, without an address.',
    }),
    /** Null: all tenants. */
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'create' })),
    permissionSetId: f.ref('Permission set', 'permissionSets', { required: true, write: 'create' }),
    invitedBy: f.person('Invited by', { write: 'never' }),
    created: f.timestamp('Invited', { write: 'never' }),
    expiresOn: f.timestamp('Expires on', { write: 'never' }),
    acceptedOn: optional(f.timestamp('Accepted', { write: 'never' })),
  },
  relations: { tenant: one('tenants', 'tenantId'), permissionSet: one('permissionSets', 'permissionSetId') },
});
