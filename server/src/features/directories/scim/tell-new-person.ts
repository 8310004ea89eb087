/** Tells a person by mail that a directory has given them access, and how they sign in. */
import { randomUUID } from 'node:crypto';
import { createOneTimeLink } from '../../../auth/sign-in/one-time-link.ts';
import { readerAtAddress } from '../../../context/locale.ts';
import type { Db } from '../../../db/db.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { mailTextsFor } from '../../../platform/mail-texts.ts';
import type { DirectoryCall } from './directory-call.ts';

const linkDays = 7;

/**
 * Queues the mail in the transaction that gives the access, if the directory says so; where people have passwords here, with a link to set
 * one. Only to addresses for which the directory speaks, so that its token sends mails to nobody else.
 */
export async function tellNewPerson(
  { directory, publicUrl, hasPasswords, correlationId }: DirectoryCall,
  tx: Db,
  person: { id: string; name: string; email: string | null; emailVerified: boolean; userName: string },
): Promise<void> {
  const { id, name, email, userName } = person;
  if (!directory.tellsNewPeople || email === null || !person.emailVerified) return;
  const mail = mailTextsFor(await readerAtAddress(tx, email)).provisioned;
  const setsPassword = directory.kind === 'None' && hasPasswords;
  const address = setsPassword ? await createOneTimeLink(tx, id, publicUrl, linkDays) : `${publicUrl}/`;
  await enqueue(tx, {
    name: 'send-mail',
    payload: {
      messageId: randomUUID(),
      tenantId: null,
      to: email,
      subject: mail.subject,
      text: setsPassword ? mail.withPassword(name, directory.name, userName, linkDays) : mail.text(name, directory.name, userName),
      link: address.slice(publicUrl.length),
    },
    tenantId: null,
    correlationId,
  });
}
