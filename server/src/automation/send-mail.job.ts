/** Sends one mail that is no action, such as a notification of a communication, a sign-in mail or a notice about a token. */
import { z } from 'zod';
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import { messageOf } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../context/ctx.ts';
import { changed } from '../db/changed.ts';
import { mayMailContact, recordContactMail } from '../features/work-units/contacts/mail-states.ts';
import { defineJob, PermanentFailure, type Job } from '../jobs/job.ts';
import { enqueue } from '../jobs/queue.ts';
import type { Mail } from '../outbound/mail.ts';
import { uuidV5 } from '../platform/uuid-v5.ts';
import { deliver } from './deliver.ts';
import type { HasEnded } from './notify/ended-mails.ts';

/** The maximum length of a file: jobs and the outbox keep it in a row, and mail servers take a few MB. */
const maxAttachment = 1_000_000;

const schema = z.object({
  /** Lets the receiver recognize a repeated mail. */
  messageId: z.uuid(),
  /** Null for a mail of the installation. */
  tenantId: z.uuid().nullable(),
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  /** Rows behind the text, the first of them the names of the columns. */
  table: z
    .array(z.array(z.string().max(2_000)).max(20))
    .max(500)
    .nullish(),
  attachments: z
    .array(z.object({ fileName: z.string().max(300), contentType: z.string().max(100), content: z.string().max(maxAttachment) }))
    .max(3)
    .nullish(),
  /** An address in the portal; appended to the text. */
  link: z.string().optional(),
  /** The link that ends mails of this kind. */
  unsubscribe: z.string().nullish(),
  /** Units whose feed says that the mail waits, failed, or was sent late. */
  workUnitIds: z.array(z.number()).default([]),
  /** Since when the mail has waited for a mail server. */
  keptSince: z.string().optional(),
});
type QueuedMail = z.infer<typeof schema>;

/** Name of the job that sends one mail. */
export const sendMailName = 'send-mail';

const note = `with noted as (insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, is_warning, created_by, correlation_id)
select work_unit_id, tenant_id, left($3, 4000), 'General', $4, 'Automation', $5 from work_unit where work_unit_id = any($1::bigint[]) and tenant_id = $2 returning tenant_id, work_unit_note_id, correlation_id)
${changed(workUnitNotes, 'create', 'noted')}`;

function tell(ctx: Ctx, { workUnitIds, tenantId, subject, to }: QueuedMail, fate: string, isWarning: boolean): Promise<void> {
  const detail = `The mail "${subject}" to ${to} ${fate}`;
  return ctx.db.defer({ name: 'mail-note', text: note, values: [workUnitIds, tenantId, detail, isWarning, ctx.correlationId] });
}

/** Records that a mail will not be sent: in the feeds, and so that the same notification can be requested again. */
export function recordMailFailure(ctx: Ctx, mail: QueuedMail, error: string): Promise<void> {
  return ctx.db.transaction(async (db) => {
    await tell({ ...ctx, db }, mail, `could not be sent: ${error}`, true);
    await recordContactMail(db, mail.messageId, ctx.correlationId, { state: 'Failed', reason: error });
    await db.query({ text: 'delete from communication_notification where message_id = $1', values: [mail.messageId] });
  });
}

/** Whether the mail server refuses this recipient or mail for good (RFC 5321), so that a further try would end alike. */
function isRefused(error: unknown): boolean {
  const { code, responseCode = 0 } = error as { code?: string; responseCode?: number };
  return responseCode >= 500 && responseCode < 600 && code !== 'EAUTH';
}

export function sendMailJob(mail: Mail | undefined, publicUrl: string, hasEnded: HasEnded): Job {
  return defineJob({
    name: sendMailName,
    schema,
    sendsUnrecorded: true,
    run: async (ctx, queued, attempt) => {
      const { tenantId, workUnitIds, messageId, to, subject, text, table, attachments, link, unsubscribe, keptSince } = queued;
      const { correlationId } = ctx;
      if (!(await mayMailContact(ctx.db, messageId, correlationId))) return;
      if (unsubscribe && (await hasEnded(ctx.db, unsubscribe))) return;
      const body = link ? `${text}\n${publicUrl}${link}` : text;
      const parts = { table: table ?? undefined, attachments: attachments ?? undefined, unsubscribe: unsubscribe ?? undefined };
      let refused: readonly string[] = [];
      const onRefused = (addresses: readonly string[]) => (refused = addresses);
      const message = { messageId, to, subject, text: body, important: false, onRefused, ...parts };
      const answer = await deliver(ctx.db, mail, message, { tenantId, correlationId, workUnitIds }, attempt).catch((error: unknown) => {
        throw isRefused(error) ? new PermanentFailure(messageOf(error)) : error;
      });
      // Whom the server refused while it took the mail for others gets it by a job of its own, whose failure is told.
      if (refused.length > 0)
        await enqueue(ctx.db, {
          name: sendMailName,
          payload: { ...queued, to: refused.join(', '), messageId: uuidV5(messageId, `refused:${refused.join(',')}`) },
          tenantId,
          correlationId,
        });
      const keptState = { state: 'Kept', reason: 'No mail server is set. The mail is sent once there is one.' } as const;
      await recordContactMail(ctx.db, messageId, correlationId, answer === undefined ? keptState : { state: 'Sent' });
      if (answer !== undefined && keptSince) await tell(ctx, queued, `was sent; it had been kept since ${keptSince}.`, false);
    },
    onDeadLetter: recordMailFailure,
  });
}
