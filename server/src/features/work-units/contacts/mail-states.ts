/** What has become of the mails to contacts: read before each is sent, and recorded after. */
import { communicationMails } from '@cloudfit/contract/resources/communication-mails.ts';
import { changed } from '../../../db/changed.ts';
import type { Db } from '../../../db/db.ts';
import { maySubscribe } from './recipients.ts';

const before = `select m.state, c.communication_contact_id is not null and c.active and ${maySubscribe} as gets_mails
from communication_mail m left join communication_contact c on c.communication_contact_id = m.communication_contact_id where m.message_id = $1`;

const record = `with told as (
  update communication_mail set state = $2, reason = left($3, 1000), sent = case when $2 = 'Sent' then now() end, modified = now(), version = version + 1
  where message_id = $1 and state <> 'Sent' and (state, reason) is distinct from ($2, left($3, 1000)) returning tenant_id, communication_mail_id
)
${changed(communicationMails, 'update', 'told', '$4')}`;

/** The outcome of a mail. `Kept`: it waits for a mail server. */
export type MailOutcome = { state: 'Sent' } | { state: 'Kept' | 'Failed'; reason: string };

/** Records the outcome of a mail to a contact; does nothing for other mails, and for one that was sent. */
export async function recordContactMail(db: Db, messageId: string, correlationId: string, outcome: MailOutcome): Promise<void> {
  const reason = outcome.state === 'Sent' ? null : outcome.reason;
  await db.query({ name: 'contact-mail-state', text: record, values: [messageId, outcome.state, reason, correlationId] });
}

/** Whether the mail may go out: not when it was sent before, nor to a contact who gets no mails any more, which is recorded. */
export async function mayMailContact(db: Db, messageId: string, correlationId: string): Promise<boolean> {
  const [mail] = await db.query<{ state: string; gets_mails: boolean }>({ name: 'contact-mail', text: before, values: [messageId] });
  if (!mail) return true;
  if (mail.state === 'Sent') return false;
  if (!mail.gets_mails)
    await recordContactMail(db, messageId, correlationId, {
      state: 'Failed',
      reason: 'The contact gets no mails any more.',
    });
  return mail.gets_mails;
}
