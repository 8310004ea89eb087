/**
 * Takes a mail: it opens a unit, answers one, waits for a person, or is refused. One transaction writes what became of it, with how far
 * the mailbox is read, so that a mail is taken once however often it is delivered, and none is lost.
 */
import { hash } from 'node:crypto';
import { ApiError, messageOf } from '@cloudfit/contract/errors.ts';
import { mailBytes, type MailFate } from '@cloudfit/contract/mail/mailboxes.ts';
import { startOf } from '@cloudfit/contract/one-line.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { recordBounce } from '../../features/work-units/mail/bounces.ts';
import type { FileStore } from '../../platform/file-store.ts';
import { automatic, checksOf, type MailRefusal, type SenderChecks } from './judge-mail.ts';
import { keepMail, type StoredMail } from './mail-files.ts';
import type { OpenMailbox } from './mailbox.ts';
import { UnreadableMail } from './mail-content.ts';
import { parseMail, type ParsedMail } from './parse-mail.ts';
import { ownIdsOf, senderFacts, unitOfMail, type AnsweredUnit, type SenderFacts } from './unit-of-mail.ts';
import { openUnit, writeAnswer, type MailToWrite, type WrittenMail } from './write-mail.ts';

/** Where a mail was read: it counts as read with what became of it. `reader` holds the lease of the mailbox. */
export interface MailPlace {
  uid: number;
  uidValidity: number;
  reader: string;
}

export interface ReceivedMail {
  bytes: Buffer;
  /** Of the whole mail, of which `bytes` may be the beginning. */
  size: number;
  place?: MailPlace;
}

export interface TakenMail {
  outcome: MailFate;
  /** Whether it was taken before. */
  duplicate: boolean;
  reason: string | null;
  message: string | null;
  publicWorkUnitId: number | null;
}

/** Another process reads the mailbox, or nobody may any more. */
export class LeaseLost extends Error {}

type MailVerdict =
  | { kind: 'not-taken'; outcome: 'Held' | 'Refused'; refusal: MailRefusal }
  | { kind: 'answer'; unit: AnsweredUnit }
  | { kind: 'open'; facts: SenderFacts | undefined };

const refuse = (refusal: MailRefusal): MailVerdict => ({ kind: 'not-taken', outcome: 'Refused', refusal });
const hold = (refusal: MailRefusal): MailVerdict => ({ kind: 'not-taken', outcome: 'Held', refusal });

/** Whether a program has written it, and the mailbox takes such mails. */
const isOfProgram = (box: OpenMailbox, mail: ParsedMail): boolean => box.programMails && automatic(mail) !== undefined;

/** Says of a mail without looking into the database why it is refused. */
function refusalOf(box: OpenMailbox, mail: ParsedMail, isWhole: boolean, size: number): MailRefusal | undefined {
  if (mail.sender === box.address.toLowerCase())
    return { reason: 'OwnAddress', message: `Its sender is the mailbox itself, ${box.address}.` };
  const program = automatic(mail, box.programMails);
  if (program) return program;
  if (mail.sender === undefined) return { reason: 'NoSender', message: 'It does not name exactly one sender.' };
  if (!isWhole)
    return {
      reason: 'TooLarge',
      message: `It has ${Math.ceil(size / 1_048_576)} MiB; at most ${mailBytes / 1_048_576} are taken. Only its beginning is stored here; the whole mail stays in the mailbox.`,
    };
  return undefined;
}

const ownMail = `select 1 from unit_mail where tenant_id = $1 and message_id = any($2::uuid[])
union all select 1 from mailbox where tenant_id = $1 and lower(address) = $3`;
const recently = `select count(*)::int as count from mailbox_mail where mailbox_id = $1 and sender = $2 and received > now() - interval '1 hour'`;

/** Decides about a mail that has no fault of its own. */
async function judge(ctx: Ctx, box: OpenMailbox, mail: ParsedMail, checks: SenderChecks | undefined): Promise<MailVerdict> {
  const { tenantId, senderLimit, unknownSenders } = box;
  const sender = mail.sender ?? '';
  const sentHere = await ctx.db.query({
    name: 'own-mail',
    text: ownMail,
    values: [tenantId, ownIdsOf(mail.messageId ? [mail.messageId] : []), sender],
  });
  if (sentHere.length > 0) return refuse({ reason: 'OwnMail', message: 'CloudFit has sent it, so that it would answer itself.' });
  const [sent] = await ctx.db.query<{ count: number }>({ name: 'mails-of-sender', text: recently, values: [box.mailboxId, sender] });
  if ((sent?.count ?? 0) >= senderLimit)
    return refuse({ reason: 'TooMany', message: `${sender} has sent ${senderLimit} mails within an hour, as many as are taken.` });
  const facts = await senderFacts(ctx, tenantId, sender);
  const unit = await unitOfMail(ctx, tenantId, mail);
  if (checks?.dmarcFailed && (facts || unit || unknownSenders !== 'Refuse'))
    return hold({ reason: 'FailedDmarc', message: `${sender} may not have sent it: ${checks.text}.` });
  if (unit?.answersHere && isOfProgram(box, mail))
    return refuse({ reason: 'AutoReply', message: 'A program answers a mail of CloudFit, so that both would answer each other.' });
  if (unit) return { kind: 'answer', unit };
  if (facts || unknownSenders === 'Open') return { kind: 'open', facts };
  const refusal: MailRefusal = { reason: 'UnknownSender', message: `${sender} is unknown to this tenant.` };
  return unknownSenders === 'Hold' ? hold(refusal) : refuse(refusal);
}

const lockBox = `select 1 from mailbox where mailbox_id = $1 and ($2::text is null or leased_by = $2 and leased_until > now()) for update`;
const before = `select m.outcome, m.reason, m.message, w.public_work_unit_id from mailbox_mail m left join work_unit w on w.work_unit_id = m.work_unit_id
  where m.mailbox_id = $1 and m.mail_key = $2`;
const insert = `insert into mailbox_mail (mailbox_id, tenant_id, mail_key, message_id, sender, sender_name, subject, sample, size, checks, outcome, reason, message,
  storage_name, is_whole, work_unit_id, work_unit_note_id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`;
const read = `update mailbox set uid_validity = $2, last_uid = case when uid_validity = $2 then greatest(last_uid, $3) else $3 end where mailbox_id = $1`;
const counted = `update mailbox set last_mail = now(), mails_taken = mails_taken + $2, mails_held = mails_held + $3, mails_refused = mails_refused + $4 where mailbox_id = $1`;

interface BeforeRow {
  outcome: MailFate;
  reason: string | null;
  message: string | null;
  public_work_unit_id: number | null;
}

interface Read {
  mail: ParsedMail | undefined;
  key: Buffer;
  refusal: MailRefusal | undefined;
}

async function readBytes(box: OpenMailbox, { bytes, size }: ReceivedMail): Promise<Read> {
  try {
    const mail = await parseMail(bytes);
    return { mail, key: mail.key, refusal: refusalOf(box, mail, bytes.length >= size, size) };
  } catch (error) {
    if (!(error instanceof UnreadableMail)) throw error;
    return { mail: undefined, key: hash('sha256', bytes, 'buffer'), refusal: { reason: 'Unreadable', message: error.message } };
  }
}

const sampleLength = 1_000;

export interface MailTakerOptions {
  store: FileStore;
  /** The folder of files that are being received. */
  incoming: string;
  maxFileBytes: number;
}

export interface MailTaker {
  /** Takes a mail in the ctx of its mailbox. Throws when nothing was written, so that it is tried again. */
  take(ctx: Ctx, box: OpenMailbox, received: ReceivedMail): Promise<TakenMail>;
  /**
   * Lists a mail that cannot be taken as refused, with the whole mail, so that a person may take it in. Throws when that cannot be stored
   * either: then the reason is not the mail.
   */
  setAside(ctx: Ctx, box: OpenMailbox, received: ReceivedMail, message: string): Promise<void>;
  /** Writes a mail that waits or was refused as if its sender were trusted, in the caller's transaction. Returns what was written. */
  takeIn(ctx: Ctx, box: OpenMailbox, bytes: Buffer, isWhole: boolean): Promise<WrittenMail & { outcome: MailFate }>;
}

export function mailTaker(options: MailTakerOptions): MailTaker {
  const { store } = options;

  async function write(
    ctx: Ctx,
    box: OpenMailbox,
    verdict: Exclude<MailVerdict, { kind: 'not-taken' }>,
    mail: MailToWrite,
  ): Promise<WrittenMail> {
    return verdict.kind === 'answer' ? writeAnswer(ctx, box, verdict.unit, mail) : openUnit(ctx, box, verdict.facts, mail);
  }

  async function takeOnce(
    outside: Ctx,
    box: OpenMailbox,
    received: ReceivedMail,
    parsed: Read,
    stored?: StoredMail,
    fault?: MailRefusal,
  ): Promise<TakenMail | undefined> {
    const { mail, key } = parsed;
    const { place, size, bytes } = received;
    return inTransaction(outside, async (ctx) => {
      const locked = await ctx.db.query({ name: 'lock-mailbox', text: lockBox, values: [box.mailboxId, place?.reader ?? null] });
      if (locked.length === 0) throw new LeaseLost('Another process reads the mailbox, or it was deleted.');
      const acknowledge = async () => {
        if (place) await ctx.db.query({ name: 'mailbox-read', text: read, values: [box.mailboxId, place.uidValidity, place.uid] });
      };
      const [existing] = await ctx.db.query<BeforeRow>({ name: 'mail-before', text: before, values: [box.mailboxId, key] });
      if (existing) {
        await acknowledge();
        const { outcome, reason, message, public_work_unit_id: publicWorkUnitId } = existing;
        return { outcome, duplicate: true, reason, message, publicWorkUnitId };
      }
      if (!stored) return undefined;
      const refusal = fault ?? parsed.refusal;
      const checks = mail && checksOf(mail, box.authservId);
      const verdict = refusal || !mail ? refuse(refusal ?? { reason: 'Unreadable', message: '' }) : await judge(ctx, box, mail, checks);
      const written =
        verdict.kind === 'not-taken' || !mail
          ? undefined
          : await write(ctx, box, verdict, { mail, isOfProgram: isOfProgram(box, mail), checks: checks?.text ?? null, stored });
      const bounced =
        mail?.report &&
        (await recordBounce(ctx, box.tenantId, mail.report, ownIdsOf(mail.report.messageId ? [mail.report.messageId] : [])));
      const outcome: MailFate = verdict.kind === 'not-taken' ? verdict.outcome : verdict.kind === 'answer' ? 'Replied' : 'Opened';
      const why = verdict.kind === 'not-taken' ? verdict.refusal : undefined;
      await ctx.db.query({
        name: 'mailbox-mail',
        text: insert,
        values: [
          box.mailboxId,
          box.tenantId,
          key,
          mail?.messageId ?? null,
          mail?.sender ?? '',
          mail?.senderName ?? '',
          mail?.subject ?? '',
          startOf(mail?.text ?? bytes.subarray(0, sampleLength).toString('latin1'), sampleLength),
          Math.min(size, 2_147_483_647),
          checks?.text ?? null,
          outcome,
          why?.reason ?? null,
          why?.message.slice(0, 1_000) ?? null,
          written?.hasMail ? null : stored.mail.storageName,
          bytes.length >= size,
          written?.workUnitId ?? bounced ?? null,
          written?.workUnitNoteId ?? null,
        ],
      });
      await acknowledge();
      const counts = [written ? 1 : 0, outcome === 'Held' ? 1 : 0, outcome === 'Refused' ? 1 : 0];
      await ctx.db.query({ name: 'mailbox-counted', text: counted, values: [box.mailboxId, ...counts] });
      return {
        outcome,
        duplicate: false,
        reason: why?.reason ?? null,
        message: why?.message ?? null,
        publicWorkUnitId: written?.publicWorkUnitId ?? null,
      };
    });
  }

  return {
    take: async (ctx, box, received) => {
      const parsed = await readBytes(box, received);
      // A mail that is delivered again is the usual case after a restart; nothing is stored for it.
      const again = await takeOnce(ctx, box, received, parsed);
      if (again) return again;
      const stored = await keepMail(options, received.bytes, parsed.refusal ? undefined : parsed.mail);
      const done = await takeOnce(ctx, box, received, parsed, stored).catch((error: unknown) => {
        // What the rules of units refuse is no fault of the reader: the mail is listed with the reason, and the next one is read.
        if (!(error instanceof ApiError) || error.status >= 500 || error.status === 429) throw error;
        const message = startOf(error.details[0]?.message ?? messageOf(error), 1_000);
        return takeOnce(ctx, box, received, parsed, stored, { reason: 'NotTaken', message });
      });
      if (!done) throw new Error('A mail with its bytes is taken.');
      const isWritten = done.outcome === 'Opened' || done.outcome === 'Replied';
      const unused = done.duplicate ? [stored.mail, ...stored.files] : isWritten ? [] : stored.files;
      // What cannot be removed now goes with the sweep of orphans.
      await Promise.allSettled(unused.map(({ storageName }) => store.remove(storageName)));
      return done;
    },
    setAside: async (ctx, box, received, message) => {
      const stored = await keepMail(options, received.bytes, undefined);
      const key = hash('sha256', received.bytes, 'buffer');
      const parsed: Read = { mail: undefined, key, refusal: { reason: 'NotTaken', message: startOf(message, 1_000) } };
      const done = await takeOnce(ctx, box, received, parsed, stored);
      if (done?.duplicate) await store.remove(stored.mail.storageName);
    },
    takeIn: async (ctx, box, bytes, isWhole) => {
      const mail = await parseMail(bytes);
      if (mail.sender === undefined)
        throw new ApiError('Conflict', 'The mail does not name one sender, so that it belongs to nobody. Please open a work unit by hand.');
      // Of a mail that was too large the last file is cut, so none is taken for whole.
      const stored = await keepMail(options, bytes, isWhole ? mail : { ...mail, files: [] });
      const checks = checksOf(mail, box.authservId);
      const unit = await unitOfMail(ctx, box.tenantId, mail);
      const verdict: Exclude<MailVerdict, { kind: 'not-taken' }> = unit
        ? { kind: 'answer', unit }
        : { kind: 'open', facts: await senderFacts(ctx, box.tenantId, mail.sender) };
      const written = await write(ctx, box, verdict, {
        mail,
        isOfProgram: false,
        checks: checks?.text ?? null,
        stored: isWhole ? stored : { ...stored, left: mail.files.map(({ name }) => name) },
      });
      return { ...written, outcome: verdict.kind === 'answer' ? 'Replied' : 'Opened' };
    },
  };
}
