/** Sends a mail to the SMTP server, or stores it in the outbox if no server is set. */
import { mailDestination } from '@cloudfit/contract/resources/destinations.ts';
import { outboxMessages } from '@cloudfit/contract/resources/outbox.ts';
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import { changed } from '../db/changed.ts';
import { threadOf } from '../features/work-units/mail/thread.ts';
import type { Db } from '../db/db.ts';
import { NotTried, PermanentFailure, requireCallSlot, type JobAttempt } from '../jobs/job.ts';
import { OutboundFailed, OutboundRefused } from '../outbound/circuit-breaker.ts';
import { type Mail, type MailMessage } from '../outbound/mail.ts';

const keep = `with kept as (
  insert into outbox_message (tenant_id, message_id, recipients, subject, body, is_important, correlation_id, work_unit_ids, unsubscribe, mail_table, attachments)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11::jsonb) on conflict (message_id) do nothing
  returning tenant_id, outbox_message_id, correlation_id, work_unit_ids, subject, recipients
), noted as (
  insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, is_warning, created_by, correlation_id)
  select w.work_unit_id, k.tenant_id, left('The mail "' || k.subject || '" to ' || k.recipients || ' was kept, not sent: no mail server is set.', 4000), 'General',
    true, 'Automation', k.correlation_id
  from kept k join work_unit w on w.work_unit_id = any(k.work_unit_ids) and w.tenant_id = k.tenant_id
  returning tenant_id, work_unit_note_id, correlation_id
), told as (${changed(workUnitNotes, 'create', 'noted')})
${changed(outboxMessages, 'create', 'kept')}`;

/** Sends the mail. Throws `NotTried` while the server's circuit is open, and `PermanentFailure` if the circuit is disabled. */
async function sendThroughBreaker(mail: Mail, message: MailMessage): Promise<string> {
  try {
    return await mail.send(message);
  } catch (error) {
    if (error instanceof OutboundRefused) throw new PermanentFailure(error.message);
    if (error instanceof OutboundFailed && error.retryAfterMs !== undefined) throw new NotTried(error.message, mailDestination);
    throw error;
  }
}

/** The tenant and the work units of a mail. `workUnitIds`: the units whose feed says that the mail waits. */
export interface MailOwner {
  /** Null for a mail of the installation. */
  tenantId: string | null;
  correlationId: string;
  workUnitIds?: readonly number[];
  /** The one unit that answers to the mail belong to; by default the one of `workUnitIds`. */
  aboutUnit?: number | null | undefined;
}

/** A mail about several units belongs to no thread: an answer could not say which one it means. */
async function threadFor(
  db: Db,
  { messageId, to, cc, bcc, subject }: Omit<MailMessage, 'owner'>,
  { tenantId, workUnitIds = [], aboutUnit }: MailOwner,
) {
  const workUnitId = aboutUnit ?? (workUnitIds.length === 1 ? workUnitIds[0] : undefined);
  if (tenantId === null || workUnitId === undefined) return undefined;
  const recipients = [to, cc, bcc].filter(Boolean).join(', ');
  return threadOf(db, { tenantId, workUnitId, messageId, recipients, subject });
}

/** Sends or stores the mail. Returns the server's answer; undefined if the mail waits in the outbox. */
export async function deliver(
  db: Db,
  mail: Mail | undefined,
  message: Omit<MailMessage, 'owner'>,
  of: MailOwner,
  attempt: JobAttempt,
): Promise<string | undefined> {
  if (mail) {
    await requireCallSlot(attempt, mailDestination, of.workUnitIds?.[0]?.toString());
    return sendThroughBreaker(mail, { ...message, thread: await threadFor(db, message, of), owner: of.tenantId });
  }
  const { messageId, to, cc, bcc, subject, text, table, attachments, important, unsubscribe } = message;
  const json = (parts: readonly unknown[] | undefined) => (parts && parts.length > 0 ? JSON.stringify(parts) : null);
  const recipients = [to, cc, bcc].filter(Boolean).join(', ');
  await db.query({
    text: keep,
    values: [
      of.tenantId,
      messageId,
      recipients,
      subject,
      text,
      important,
      of.correlationId,
      of.workUnitIds ?? [],
      unsubscribe ?? null,
      json(table),
      json(attachments),
    ],
  });
  return undefined;
}
