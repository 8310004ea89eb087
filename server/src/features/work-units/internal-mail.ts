/** Mail to a tenant's address for internal notifications, sent by a job after the commit. */
import { startOf } from '@cloudfit/contract/one-line.ts';
import { randomUUID } from 'node:crypto';
import { readerAtAddress } from '../../context/locale.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { TextReader } from '../../platform/language.ts';
import { mailTextsFor, type MailTexts } from '../../platform/mail-texts.ts';
import { enqueue } from '../../jobs/queue.ts';

interface InternalMail {
  /** For the person who reads at the address, if it is one whose choice of language is known. */
  write(texts: MailTexts, reader: TextReader): { subject: string; text: string };
  /** While the job of a mail with this key is stored, another mail with the key is not queued. */
  onceKey?: string;
  /** Work units whose feed gets an entry when the mail is not sent. */
  workUnitIds?: readonly number[];
  /** The one unit of the mail, which ends with a link to it. */
  linked?: number;
  /** Default: a new id. */
  messageId?: string;
}

/** Returns the tenant's address for internal notifications; undefined if it has none. */
export async function internalAddress(ctx: Ctx, tenantId: string): Promise<string | undefined> {
  const [tenant] = await ctx.db.query<{ address: string | null }>({
    text: 'select internal_notification_email_address as address from tenant where tenant_id = $1',
    values: [tenantId],
  });
  return tenant?.address?.trim() || undefined;
}

/** Queues the mail; returns false, and queues nothing, if the tenant has no address. */
export async function queueInternalMail(ctx: Ctx, tenantId: string, mail: InternalMail): Promise<boolean> {
  const to = await internalAddress(ctx, tenantId);
  if (!to) return false;
  const { onceKey, linked, messageId = randomUUID() } = mail;
  const { workUnitIds = linked === undefined ? [] : [linked] } = mail;
  const link = linked === undefined ? {} : { link: `/${tenantId}/workunitsv2?workUnitId=${linked}` };
  const reader = await readerAtAddress(ctx.db, to);
  const { subject, text } = mail.write(mailTextsFor(reader), reader);
  await enqueue(ctx.db, {
    name: 'send-mail',
    payload: { messageId, tenantId, to, subject: startOf(subject.replaceAll(/[\r\n]+/g, ' '), 500), text, workUnitIds, ...link },
    tenantId,
    correlationId: ctx.correlationId,
    ...(onceKey ? { onceKey } : {}),
  });
  return true;
}
