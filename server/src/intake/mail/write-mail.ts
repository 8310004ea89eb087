/** Writes a mail as a work unit, or as a note of one, with its files; in the transaction of the caller. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { oneLine, seenLength, startOf } from '@cloudfit/contract/one-line.ts';
import type { Ctx } from '../../context/ctx.ts';
import { createWorkUnit } from '../../features/work-units/create.ts';
import { noteOfDesk, noteOfMail, noteOfOpening, noteOfProgram, type MailOfNote } from '../../features/work-units/customer-notes.ts';
import { lockUnit, recordUnitFile, type KeptFile } from '../../features/work-units/files/unit-files.ts';
import type { servedWorkUnitNotes } from '../../features/work-units/work-units.served.ts';
import { create } from '../../resources/create.ts';
import type { StoredMail } from './mail-files.ts';
import { shortened, titleOfSubject, withoutQuote, withoutSignature } from './mail-text.ts';
import type { OpenMailbox } from './mailbox.ts';
import type { ParsedMail } from './parse-mail.ts';
import type { AnsweredUnit, SenderFacts } from './unit-of-mail.ts';

export interface MailToWrite {
  mail: ParsedMail;
  /** Whether a program has written it by itself: it is no customer, and is not written to. */
  isOfProgram: boolean;
  checks: string | null;
  stored: StoredMail;
}

export interface WrittenMail {
  workUnitId: number;
  publicWorkUnitId: number;
  workUnitNoteId: number;
  /** Whether the unit has the whole mail among its files. */
  hasMail: boolean;
}

const longest = 4_000;
const cut = '[The text is longer: see the whole mail.]';

interface UnitOfFiles {
  tenantId: string;
  workUnitId: number;
}

/** Writes the row of a file; undefined when the unit has as many files as it may have. */
async function record(ctx: Ctx, owner: UnitOfFiles & { isFromCustomer: boolean }, file: KeptFile): Promise<string | undefined> {
  try {
    return (await recordUnitFile(ctx, owner, file)).id;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'Conflict') return undefined;
    throw error;
  }
}

interface WrittenFiles {
  /** Lines that name the files, as notes do. */
  lines: string;
  mailFileId: string | null;
}

async function writeFiles(ctx: Ctx, unit: UnitOfFiles, { mail, files, left }: StoredMail, isFromCustomer: boolean): Promise<WrittenFiles> {
  await lockUnit(ctx, unit.workUnitId);
  // The whole mail has headers that are nobody's business but the desk's.
  const mailFileId = (await record(ctx, { ...unit, isFromCustomer: false }, mail)) ?? null;
  const lines: string[] = [];
  const notStored = [...left];
  for (const file of files) {
    const id = await record(ctx, { ...unit, isFromCustomer }, file);
    if (id === undefined) notStored.push(file.name);
    else lines.push(`${file.isImage ? '!' : ''}[${file.name}](file:${id})`);
  }
  if (notStored.length > 0) lines.push(`Only in the whole mail: ${notStored.join(', ').slice(0, 500)}`);
  return { lines: lines.join('\n\n'), mailFileId };
}

const authorOf = ({ sender = '', senderName }: ParsedMail): string =>
  senderName === '' || senderName === sender ? sender : `${senderName} <${sender}>`;

async function writeNote(
  ctx: Ctx,
  unit: UnitOfFiles,
  { mail, checks, stored }: MailToWrite,
  text: string,
  as: { isExternalNote: boolean; served: (of: MailOfNote) => typeof servedWorkUnitNotes },
): Promise<{ workUnitNoteId: number; hasMail: boolean }> {
  const { lines, mailFileId } = await writeFiles(ctx, unit, stored, as.isExternalNote);
  const room = longest - lines.length - 2;
  // So many files that their names alone fill the note.
  const detail =
    room < 200
      ? startOf(`${shortened(text, 500, cut)}\n\n${lines}`, longest)
      : [shortened(text, room, cut), lines].filter(Boolean).join('\n\n');
  const served = as.served({
    // A form that no sign-in name has: who wrote it was not signed in.
    createdBy: `${mail.sender ?? ''} (mail)`,
    mailFrom: authorOf(mail),
    mailChecks: checks,
    mailFileId,
  });
  const { workUnitNoteId } = await create(ctx, served, { workUnitId: unit.workUnitId, detail, isExternalNote: as.isExternalNote });
  return { workUnitNoteId, hasMail: mailFileId !== null };
}

/** Opens a unit by the mail. Its first note has the files and says where it came from. */
export async function openUnit(ctx: Ctx, box: OpenMailbox, facts: SenderFacts | undefined, toWrite: MailToWrite): Promise<WrittenMail> {
  const { mail, isOfProgram } = toWrite;
  const { tenantId, workUnitTypeId, severityId, workUnitCategoryId } = box;
  const name = facts?.name ?? (mail.senderName || mail.sender) ?? '';
  const subject = titleOfSubject(mail.subject);
  const firstLine = mail.text.split('\n').find((line) => seenLength(line) >= 3) ?? '';
  const title = [subject, oneLine(firstLine).slice(0, 120)].find((text) => seenLength(text) >= 3) ?? `Mail of ${mail.sender ?? ''}`;
  const unit = await createWorkUnit(ctx, {
    tenantId,
    workUnitTypeId,
    severityId,
    workUnitCategoryId,
    title: startOf(title, 500),
    description: shortened(withoutSignature(mail.text), longest, cut),
    source: 'Email',
    stakeHolderFullName: startOf(oneLine(name), 200),
    // Nobody writes back to a program.
    ...(isOfProgram ? {} : { stakeHolderEmailAddress: mail.sender ?? '' }),
    ...(facts?.phone ? { stakeHolderPhoneNumber: facts.phone } : {}),
  });
  if (!unit) throw new Error('An insert answers its row.');
  const text = `Opened by mail to ${box.address}.`;
  const note = await writeNote(ctx, { tenantId, ...unit }, toWrite, text, {
    isExternalNote: true,
    served: toWrite.isOfProgram ? noteOfProgram : noteOfOpening,
  });
  return { ...unit, ...note };
}

/** Adds the mail to a unit: what a customer writes as a public note, what the desk writes as an internal one. */
export async function writeAnswer(ctx: Ctx, box: OpenMailbox, unit: AnsweredUnit, toWrite: MailToWrite): Promise<WrittenMail> {
  const isCustomer = unit.from === 'customer' && !toWrite.isOfProgram;
  const text = withoutSignature(withoutQuote(toWrite.mail.text));
  const { workUnitId, publicWorkUnitId } = unit;
  const note = await writeNote(ctx, { tenantId: box.tenantId, workUnitId }, toWrite, text, {
    isExternalNote: isCustomer,
    served: isCustomer ? noteOfMail : noteOfDesk,
  });
  return { workUnitId, publicWorkUnitId, ...note };
}
