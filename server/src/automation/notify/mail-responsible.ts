/** Mails those who are responsible for a tenant, or for the installation, that something of it has stopped working. */
import { startOf } from '@cloudfit/contract/one-line.ts';
import { responsibleAddresses } from '../../auth/administrators.ts';
import { readerAtAddress } from '../../context/locale.ts';
import type { Db } from '../../db/db.ts';
import { enqueueAll } from '../../jobs/queue.ts';
import { mailTextsFor, type MailTexts } from '../../platform/mail-texts.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';

interface MailToResponsible {
  /** Null for the installation. */
  tenantId: string | null;
  /** What it is about: the ids of the mails are derived from it. */
  causeId: string;
  write: (texts: MailTexts) => { subject: string; text: string };
}

/** Queues the mails in the transaction of the caller; returns their recipients. */
export async function mailResponsible(db: Db, { tenantId, causeId, write }: MailToResponsible): Promise<string[]> {
  const addresses = await responsibleAddresses(db, tenantId);
  const jobs = [];
  for (const to of addresses) {
    const { subject, text } = write(mailTextsFor(await readerAtAddress(db, to)));
    const messageId = uuidV5(causeId, `mail:${to}`);
    const payload = { messageId, tenantId, to, subject: startOf(subject.replaceAll(/[\r\n]+/g, ' '), 500), text };
    jobs.push({ name: 'send-mail', payload, tenantId, correlationId: causeId });
  }
  await enqueueAll(db, jobs);
  return addresses;
}
