/** Hands a mail to the SMTP server, or keeps it in the outbox where none is set. */
import type { Db } from '../db/connection.ts';
import { PermanentFailure, RetryLater } from '../jobs/job.ts';
import { OutboundFailed, OutboundRefused } from '../outbound/circuit-breaker.ts';
import type { Mail, MailMessage } from '../outbound/mail.ts';

const keep = `with kept as (
  insert into outbox_message (tenant_id, message_id, recipients, subject, body, is_important, correlation_id)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict (message_id) do nothing returning tenant_id, outbox_message_id, correlation_id
)
insert into change (tenant_id, verb, entity, entity_id, correlation_id)
select tenant_id, 'create', 'outboxMessages', outbox_message_id::text, correlation_id from kept`;

/** While the circuit of a server is open the call waits until it may be tried; a disabled one gets no more calls. */
async function sendThroughBreaker(mail: Mail, message: MailMessage): Promise<string> {
  try {
    return await mail.send(message);
  } catch (error) {
    if (error instanceof OutboundRefused) throw new PermanentFailure(error.message);
    if (error instanceof OutboundFailed && error.retryAfterMs !== undefined) throw new RetryLater(error.message, error.retryAfterMs);
    throw error;
  }
}

/** Answers what the server said; undefined when the message waits in the outbox. */
export async function deliver(
  db: Db,
  mail: Mail | undefined,
  message: Omit<MailMessage, 'owner'>,
  of: { tenantId: string; correlationId: string },
): Promise<string | undefined> {
  if (mail) return sendThroughBreaker(mail, { ...message, owner: of.tenantId });
  const { messageId, to, cc, bcc, subject, text, important } = message;
  const recipients = [to, cc, bcc].filter(Boolean).join(', ');
  await db.query({ text: keep, values: [of.tenantId, messageId, recipients, subject, text, important, of.correlationId] });
  return undefined;
}
