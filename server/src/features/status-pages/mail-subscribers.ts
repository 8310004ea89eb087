/** Queues a mail to each subscriber of a status page, with the link that ends the mails. */
import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/db.ts';
import { enqueueAll } from '../../jobs/queue.ts';
import { readerOf, type Language, type TextReader } from '../../platform/language.ts';
import type { PublishedPage } from './read-status.ts';
import type { SubscriptionLinks } from './subscription-links.ts';
import { publicStatusTextsIn, type PublicStatusTexts } from './texts.ts';

/** The maximum number of jobs in one statement. */
const atOnce = 500;

/** What a mail says, in the language of its reader. */
export type SubscriberMail = (texts: PublicStatusTexts['mails'], reader: TextReader) => { subject: string; texts: readonly string[] };

/** Queues the mails in the transaction of `db`, and returns their number. `except`: addresses that know it already. */
export async function mailSubscribers(
  db: Db,
  { statusPageId, tenantId, title, address }: Pick<PublishedPage, 'statusPageId' | 'tenantId' | 'title' | 'address'>,
  mail: SubscriberMail,
  links: SubscriptionLinks,
  publicUrl: string,
  except: ReadonlySet<string> = new Set(),
): Promise<number> {
  const all = await db.query<{ id: string; email: string; language: Language | null }>({
    text: 'select status_subscriber_id as id, email, language from status_subscriber where status_page_id = $1',
    values: [statusPageId],
  });
  const subscribers = all.filter(({ email }) => !except.has(email));
  const jobs = subscribers.map(({ id, email, language }) => {
    const reader = readerOf({ language });
    const { mails } = publicStatusTextsIn(reader.language);
    const { subject, texts } = mail(mails, reader);
    const messageId = randomUUID();
    const unsubscribe = links.unsubscribe(tenantId, id);
    const text = [...texts, mails.more(`${publicUrl}/status/${address}`), mails.end(title, unsubscribe)].join('\n\n');
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
