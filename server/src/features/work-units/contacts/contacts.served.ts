import { communicationContacts, contactsMax } from '@cloudfit/contract/resources/communication-contacts.ts';
import { actorName, requireScope, type Ctx } from '../../../context/ctx.ts';
import { sql, type RawBuilder } from '../../../db/sql.ts';
import { serve, type FieldError } from '../../../resources/served.ts';

/** Only people who may edit the communications of the tenant see who is told of them. */
export function editableTenants(ctx: Ctx, t: string): RawBuilder<boolean> | undefined {
  const scope = requireScope(ctx, 'WorkUnitCommunications', 'edit');
  return scope === 'all' ? undefined : sql<boolean>`${sql.ref(`${t}.tenant_id`)} = any(${[...scope]}::uuid[])`;
}

export const servedCommunicationContacts = serve(communicationContacts, 'communication_contact', {
  rowsFor: editableTenants,
  fill: (ctx, { verb, after }) => ({
    ...(after.email ? { email: after.email.toLowerCase() } : {}),
    // Whoever adds the contact again has the consent for it.
    ...(after.active ? { unsubscribed: null } : {}),
    ...(verb === 'create' ? { createdBy: actorName(ctx) } : {}),
  }),
  check: async (ctx, { verb, after }): Promise<FieldError[]> => {
    if (verb !== 'create') return [];
    const [row] = await ctx.db.query<{ count: number }>({
      text: 'select count(*)::int as count from communication_contact where tenant_id = $1',
      values: [after.tenantId],
    });
    if ((row?.count ?? 0) < contactsMax) return [];
    return [
      { target: 'tenantId', message: `A tenant has at most ${contactsMax} contacts. Please delete some, or use one address of a list.` },
    ];
  },
});
