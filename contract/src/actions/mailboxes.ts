/** Calls of mailboxes beyond those of every entity: a new token, a test of the connection, and mails that wait or were refused. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { mailOutcomes } from '../mail/mailboxes.ts';
import { guidSchema } from '../resource.ts';

export const newMailboxToken = defineAction({
  name: 'newMailboxToken',
  method: 'PUT',
  path: '/v1/mailboxes/{id}/token',
  access: { area: 'Sources', verb: 'edit' },
  about: 'Gives a mailbox a new token, which the answer alone contains. The one before is dead at once on every server.',
  input: z.object({ id: guidSchema }),
  output: z.object({ mailboxId: z.string(), generatedToken: z.string() }),
  noStore: true,
});

export const mailboxTrial = z.object({
  works: z.boolean(),
  /** The step that failed, or the last one. */
  step: z.enum(['settings', 'address', 'tls', 'password', 'folder', 'done']),
  message: z.string(),
});

export const testMailbox = defineAction({
  name: 'testMailbox',
  method: 'POST',
  path: '/v1/mailboxes/{id}/test',
  access: { area: 'Sources', verb: 'edit' },
  about:
    'Connects to the IMAP server of a mailbox as it is stored, and says what is wrong: address, TLS, password or folder. Reads no mail.',
  input: z.object({ id: guidSchema }),
  output: mailboxTrial,
});

/** A mail of a mailbox, as its page lists it. */
export const listedMail = z.object({
  mailId: z.string(),
  received: z.string(),
  sender: z.string(),
  senderName: z.string(),
  subject: z.string(),
  outcome: z.enum(mailOutcomes),
  reason: z.string().nullable(),
  /** What the reason means for this mail. */
  message: z.string().nullable(),
  /** The beginning of its text. */
  sample: z.string(),
  size: z.number(),
  /** SPF, DKIM and DMARC as the checking mail server has found them; null when nobody has checked. */
  checks: z.string().nullable(),
  workUnitId: z.number().nullable(),
  publicWorkUnitId: z.number().nullable(),
});

export const mailsOfMailbox = defineAction({
  name: 'mailsOfMailbox',
  method: 'GET',
  path: '/v1/mailboxes/{id}/mails',
  access: { area: 'Sources', verb: 'view' },
  about: 'The mails of a mailbox, newest first: those that wait or were refused, or all. With the counts of each reason.',
  input: z.object({ id: guidSchema, all: z.enum(['true', 'false']).optional(), before: z.iso.datetime().optional() }),
  output: z.object({
    value: z.array(listedMail),
    /** Whether there are older ones; give the time of the last as `before`. */
    more: z.boolean(),
    reasons: z.array(z.object({ reason: z.string(), count: z.number(), last: z.string() })),
  }),
});

export const takeMail = defineAction({
  name: 'takeMail',
  method: 'POST',
  path: '/v1/mailboxes/{id}/mails/{mailId}/take',
  access: { area: 'WorkUnits', verb: 'create' },
  about: 'Takes in a mail that waits or was refused: it opens a work unit, or answers the one that it belongs to.',
  input: z.object({ id: guidSchema, mailId: guidSchema }),
  output: z.object({ outcome: z.enum(mailOutcomes), workUnitId: z.number(), publicWorkUnitId: z.number() }),
});

export const dismissMail = defineAction({
  name: 'dismissMail',
  method: 'POST',
  path: '/v1/mailboxes/{id}/mails/{mailId}/dismiss',
  access: { area: 'Sources', verb: 'edit' },
  about: 'Decides that a mail which waits is not taken in. It stays in the list, as refused.',
  input: z.object({ id: guidSchema, mailId: guidSchema }),
  output: z.object({ outcome: z.enum(mailOutcomes) }),
});
