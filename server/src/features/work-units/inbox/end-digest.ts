/** Ends the digests of a person, by the link in each of them. */
import { randomUUID } from 'node:crypto';
import type { DigestTime } from '@cloudfit/contract/on-call/digest.ts';
import { recordAboutPerson } from '../../../auth/audit-entry.ts';
import type { Db } from '../../../db/db.ts';

const end = `update notification_preference set digest = null, digest_due = null, modified = now(), modified_by = 'Receiver'
where person_id = $1 and digest is not null returning old.digest as before`;

/** Does nothing if the person gets no digest any more. */
export function endDigest(db: Db, personId: string): Promise<void> {
  return db.transaction(async (tx) => {
    const [ended] = await tx.query<{ before: DigestTime | null }>({ text: end, values: [personId] });
    if (!ended) return;
    await recordAboutPerson(tx, personId, {
      actor: { kind: 'system', id: null, name: 'Receiver' },
      verb: 'unsubscribe',
      entity: 'notificationPreferences',
      entityId: personId,
      before: { digest: ended.before },
      after: { digest: null },
      correlationId: randomUUID(),
    });
  });
}
