/** Ends the mails to a contact, by the link in each of them. */
import { randomUUID } from 'node:crypto';
import { recordChange } from '../../../auth/audit-entry.ts';
import type { Db } from '../../../db/db.ts';

const actor = { kind: 'system', id: null, name: 'Contact' } as const;

/** Does nothing if the link was used before, or the contact does not exist. `db` is limited to the tenant of the link. */
export function endMailsToContact(db: Db, tenantId: string, communicationContactId: string): Promise<void> {
  return db.transaction(async (tx) => {
    const [ended] = await tx.query<{ unsubscribed: string | null; was_active: boolean }>({
      text: `update communication_contact set active = false, unsubscribed = now(), modified = now(), version = version + 1
        where communication_contact_id = $1 and tenant_id = $2 and unsubscribed is null returning unsubscribed, old.active as was_active`,
      values: [communicationContactId, tenantId],
    });
    if (!ended) return;
    await recordChange(tx, {
      actor,
      verb: 'update',
      entity: 'communicationContacts',
      entityId: communicationContactId,
      tenantId,
      before: { active: ended.was_active },
      after: { active: false, unsubscribed: ended.unsubscribed },
      correlationId: randomUUID(),
    });
  });
}
