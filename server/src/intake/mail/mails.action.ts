/** What people decide about mails that wait or were refused. */
import { dismissMail, takeMail } from '@cloudfit/contract/actions/mailboxes.ts';
import { ApiError, notFound } from '@cloudfit/contract/errors.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { actorName, inTransaction, requirePermission, type Ctx } from '../../context/ctx.ts';
import { servedMailboxes } from '../../features/mailboxes/mailboxes.served.ts';
import type { FileStore } from '../../platform/file-store.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { readMailbox } from './mailbox.ts';
import type { MailTaker } from './take-mail.ts';

interface LockedMail {
  outcome: string;
  sender: string;
  subject: string;
  storage_name: string | null;
  is_whole: boolean;
}

const lock = `select outcome, sender, subject, storage_name, is_whole from mailbox_mail where mailbox_mail_id = $1 and mailbox_id = $2 for update`;

async function lockMail(ctx: Ctx, mailboxId: string, mailId: string): Promise<LockedMail> {
  const [mail] = await ctx.db.query<LockedMail>({ text: lock, values: [mailId, mailboxId] });
  if (!mail) throw notFound('Mail');
  return mail;
}

async function bytesOf(store: FileStore, name: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of await store.open(name)) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

async function audit(ctx: Ctx, mailboxId: string, tenantId: string, verb: string, after: object): Promise<void> {
  const { correlationId, address } = ctx;
  const actor = { ...ctx.actor, name: actorName(ctx) };
  await recordAudit(ctx.db, { actor, verb, entity: 'mailboxes', entityId: mailboxId, tenantId, after, correlationId, address });
}

const markTaken = `update mailbox_mail set outcome = $2, reason = null, message = null, work_unit_id = $3, work_unit_note_id = $4, storage_name = $5
where mailbox_mail_id = $1`;
const counted = `update mailbox set mails_taken = mails_taken + $2, mails_held = greatest(0, mails_held - $3), mails_refused = greatest(0, mails_refused + $4)
where mailbox_id = $1`;

export function mailActions({ mailboxes: parts }: { mailboxes: { store: FileStore; taker: MailTaker } }): readonly ImplementedAction[] {
  const take = implement(takeMail, async (outside, { id, mailId }) => {
    const { tenantId, name } = await get(outside, servedMailboxes, id);
    requirePermission(outside, 'WorkUnits', 'create', tenantId);
    requirePermission(outside, 'WorkUnits', 'edit', tenantId);
    const done = await inTransaction(outside, async (ctx) => {
      const mail = await lockMail(ctx, id, mailId);
      if (mail.outcome === 'Opened' || mail.outcome === 'Replied' || mail.storage_name === null)
        throw new ApiError('Conflict', 'The mail was taken in already.');
      const box = await readMailbox(ctx.db, id);
      if (!box) throw notFound('Mailbox');
      // It is written as a mail of its sender, not as what the person says: the audit has who let it in.
      const writer: Ctx = { ...ctx, actor: { kind: 'token', id, name, scopes: [] } };
      const written = await parts.taker.takeIn(writer, box, await bytesOf(parts.store, mail.storage_name), mail.is_whole);
      const remaining = written.hasMail && mail.is_whole ? null : mail.storage_name;
      await ctx.db.query({ text: markTaken, values: [mailId, written.outcome, written.workUnitId, written.workUnitNoteId, remaining] });
      const wasHeld = mail.outcome === 'Held';
      await ctx.db.query({ text: counted, values: [id, 1, wasHeld ? 1 : 0, wasHeld ? 0 : -1] });
      const { workUnitId, publicWorkUnitId, outcome } = written;
      await audit(ctx, id, tenantId, 'take', { mailId, sender: mail.sender, subject: mail.subject, workUnitId });
      return { answer: { outcome, workUnitId, publicWorkUnitId }, unused: remaining === null ? mail.storage_name : undefined };
    });
    if (done.unused !== undefined)
      await parts.store
        .remove(done.unused)
        .catch((error: unknown) => outside.log.warn({ err: error }, 'A mail stays in the store until the next sweep.'));
    return done.answer;
  });

  const dismiss = implement(dismissMail, (outside, { id, mailId }) =>
    inTransaction(outside, async (ctx) => {
      const { tenantId } = await get(ctx, servedMailboxes, id);
      requirePermission(ctx, 'Sources', 'edit', tenantId);
      const { outcome, sender, subject } = await lockMail(ctx, id, mailId);
      if (outcome !== 'Held') throw new ApiError('Conflict', 'Only a mail that waits can be dismissed.');
      await ctx.db.query({ text: `update mailbox_mail set outcome = 'Refused' where mailbox_mail_id = $1`, values: [mailId] });
      await ctx.db.query({ text: counted, values: [id, 0, 1, 1] });
      await audit(ctx, id, tenantId, 'dismiss', { mailId, sender, subject });
      return { outcome: 'Refused' as const };
    }),
  );
  return [take, dismiss];
}
