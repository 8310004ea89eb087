/** Queues a mail to each subscriber of a status page, with the link that ends the mails. */
import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/db.ts';
import { enqueueAll } from '../../jobs/queue.ts';
import type { PublishedPage } from './read-status.ts';
import type { SubscriptionLinks } from './subscription-links.ts';

/** The maximum number of jobs in one statement. */
const atOnce = 500;

/** Queues the mails in the transaction of `db`, and returns their number. `except`: addresses that know it already. */
export async function mailSubscribers(
  db: Db,
  { statusPageId, tenantId, title, address }: Pick<PublishedPage, 'statusPageId' | 'tenantId' | 'title' | 'address'>,
  { subject, texts }: { subject: string; texts: readonly string[] },
  links: SubscriptionLinks,
  publicUrl: string,
  except: ReadonlySet<string> = new Set(),
): Promise<number> {
  const all = await db.query<{ id: string; email: string }>({
    text: 'select status_subscriber_id as id, email from status_subscriber where status_page_id = $1',
    values: [statusPageId],
  });
  const subscribers = all.filter(({ email }) => !except.has(email));
  const jobs = subscribers.map(({ id, email }) => {
    const messageId = randomUUID();
    const unsubscribe = links.unsubscribe(tenantId, id);
    const text = [
      ...texts,
      `All of it: ${publicUrl}/status/${address}`,
      `You get this because you subscribed to updates of "${title}". To end them: ${unsubscribe}`,
    ].join('\n\n');
    return {
      name: 'send-mail',
      payload: { messageId, tenantId, to: email, subject, text, unsubscribe },
      tenantId,
      correlationId: messageId,
    };
  });
  for (let at = 0; at < jobs.length; at += atOnce) await enqueueAll(db, jobs.slice(at, at + atOnce));
  return jobs.length;
}
