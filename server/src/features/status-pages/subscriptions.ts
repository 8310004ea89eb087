/** Subscriptions of visitors to a status page: requested, confirmed by a link in a mail, ended by another link. */
import { randomUUID } from 'node:crypto';
import { statusSubscribersMax } from '@cloudfit/contract/resources/status-subscribers.ts';
import { recordChange } from '../../auth/audit-entry.ts';
import type { Db } from '../../db/db.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Language } from '../../platform/language.ts';
import type { PublishedPage } from './read-status.ts';
import type { SubscriptionLinks } from './subscription-links.ts';
import { publicStatusTextsIn } from './texts.ts';

const visitor = { kind: 'system', id: null, name: 'Visitor of a status page' } as const;

/**
 * Queues the mail with the confirmation link; also for a confirmed address, so that nobody can find out which addresses are
 * confirmed.
 */
export async function askForConfirmation(
  db: Db,
  page: PublishedPage,
  email: string,
  language: Language,
  links: SubscriptionLinks,
): Promise<void> {
  const messageId = randomUUID();
  const { mails } = publicStatusTextsIn(language);
  const text = mails.confirm(page.title, links.confirm(page.statusPageId, email, language));
  const payload = { messageId, tenantId: page.tenantId, to: email, subject: mails.confirmSubject(page.title), text };
  await enqueue(db, { name: 'send-mail', payload, tenantId: page.tenantId, correlationId: messageId });
}

/**
 * Adds the subscriber, or gives them another language; returns false if the page has the maximum number of subscribers. `db` is limited to the page's tenant.
 */
export function confirmAddress(db: Db, { statusPageId, tenantId }: PublishedPage, email: string, language: Language): Promise<boolean> {
  return db.transaction(async (tx) => {
    // The lock serialises confirmations, so that the number of subscribers stays within the limit.
    await tx.query({ text: 'select 1 from status_page where status_page_id = $1 for update', values: [statusPageId] });
    const [existing] = await tx.query<{ status_subscriber_id: string; language: string | null }>({
      text: 'select status_subscriber_id, language from status_subscriber where status_page_id = $1 and email = $2',
      values: [statusPageId, email],
    });
    if (existing) {
      if (existing.language === language) return true;
      await tx.query({
        text: 'update status_subscriber set language = $2, version = version + 1 where status_subscriber_id = $1',
        values: [existing.status_subscriber_id, language],
      });
      await recordChange(tx, {
        actor: visitor,
        verb: 'update',
        entity: 'statusSubscribers',
        entityId: existing.status_subscriber_id,
        tenantId,
        before: { language: existing.language },
        after: { language },
        correlationId: randomUUID(),
      });
      return true;
    }
    const [added] = await tx.query<{ status_subscriber_id: string }>({
      text: `insert into status_subscriber (status_page_id, tenant_id, email, language)
        select $1, $2, $3, $5 where (select count(*) from status_subscriber where status_page_id = $1) < $4 returning status_subscriber_id`,
      values: [statusPageId, tenantId, email, statusSubscribersMax, language],
    });
    if (!added) return false;
    await recordChange(tx, {
      actor: visitor,
      verb: 'create',
      entity: 'statusSubscribers',
      entityId: added.status_subscriber_id,
      tenantId,
      after: { statusPageId, language },
      correlationId: randomUUID(),
    });
    return true;
  });
}

/** Ends the mails to a subscriber; does nothing if the subscriber does not exist. `db` is limited to the tenant of the link. */
export function endSubscription(db: Db, tenantId: string, statusSubscriberId: string): Promise<void> {
  return db.transaction(async (tx) => {
    const [ended] = await tx.query<{ status_page_id: string }>({
      text: 'delete from status_subscriber where status_subscriber_id = $1 returning status_page_id',
      values: [statusSubscriberId],
    });
    if (!ended) return;
    await recordChange(tx, {
      actor: visitor,
      verb: 'delete',
      entity: 'statusSubscribers',
      entityId: statusSubscriberId,
      tenantId,
      before: { statusPageId: ended.status_page_id },
      correlationId: randomUUID(),
    });
  });
}
