/** Invitations by mail: created with a token, of which only the hash is stored; deleting one withdraws it. */
import { invitations } from '@cloudfit/contract/resources/invitations.ts';
import { escalationFaults, permissionsOfSet } from '../../auth/escalation-faults.ts';
import { serve } from '../../resources/served.ts';

/** Open invitations that one tenant may have: a limit on mail to people outside. */
const maxOpen = 200;

export const servedInvitations = serve(invitations, 'invitation', {
  check: async (ctx, { verb, after }) => {
    if (verb === 'delete')
      return after.acceptedOn
        ? [{ target: 'acceptedOn', message: 'The invitation was accepted already. End the grant of the person instead.' }]
        : [];
    const tenantId = after.tenantId ?? null;
    const errors = escalationFaults(ctx, tenantId, await permissionsOfSet(ctx, after.permissionSetId), 'permissionSetId');
    if (errors.length > 0) return errors;
    const open = await ctx.db.query<{ email: string; set: string }>({
      text: `select email, permission_set_id as set from invitation where tenant_id is not distinct from $1 and accepted_on is null and expires_on > now() limit ${maxOpen}`,
      values: [tenantId],
    });
    if (open.length >= maxOpen)
      return [{ target: 'email', message: `There are ${maxOpen} open invitations. Withdraw some of them first.` }];
    return open.some(({ email, set }) => email.toLowerCase() === after.email.toLowerCase() && set === after.permissionSetId)
      ? [{ target: 'email', message: `${after.email} is invited already. Withdraw that invitation to send another one.` }]
      : [];
  },
});
