/** Calls that publish an update of a communication and mail it to the contacts of the tenant. */
import { z } from 'zod';
import { defineAction, rowOf, type Access } from '../../action.ts';
import { communicationStatuses } from '../../enums.ts';
import { languages } from '../../messages/language.ts';
import { updateTextMax } from '../../resources/communication-updates.ts';
import { guidSchema, timestampSchema } from '../../resource.ts';
import { asLines } from '../../text-checks.ts';

const edit: Access = { area: 'WorkUnitCommunications', verb: 'edit' };
const wucommId = z.coerce.number().int().positive('No WUCOMM Id was provided.');
const statuses = communicationStatuses.map(({ value }) => value);

const update = {
  text: z
    .string({ error: 'Please write what customers should know.' })
    .check(...asLines('The text'))
    .trim()
    .min(1, 'Please write what customers should know.')
    .max(updateTextMax, `At most ${updateTextMax} characters.`),
  status: z.enum(statuses, { error: `Status is one of ${statuses.join(', ')}.` }),
  nextUpdate: z.nullable(timestampSchema).default(null),
  /** Sets the root cause of the communication, which it needs to be Resolved. */
  rootCause: z
    .string()
    .check(...asLines('Root Cause'))
    .max(4_000, 'At most 4000 characters.')
    .nullish(),
};

/** What a preview showed. A call that names it is refused when other mails would be sent by now. */
const digest = z.string().max(64).optional();

/** Why a contact of the tenant does not get the mail. */
export const notMailedReasons = [
  'Inactive',
  'Unsubscribed',
  'OtherKind',
  'LessSevere',
  'NoAccess',
  'AlreadyMailed',
  'ToldByStatusPage',
] as const;
export type NotMailedReason = (typeof notMailedReasons)[number];

const person = z.object({ name: z.string(), email: z.string() });

const preview = z.object({
  /** One mail for each language and time zone of the recipients. `html` is a whole document without scripts or addresses to load. */
  mails: z.array(
    z.object({
      language: z.enum(languages),
      timeZone: z.string(),
      subject: z.string(),
      text: z.string(),
      html: z.string(),
      recipients: z.int(),
    }),
  ),
  recipients: z.array(person.extend({ language: z.enum(languages) })),
  others: z.array(person.extend({ reason: z.enum(notMailedReasons) })),
  /** As what the communication counts: as maintenance when all its work units are change requests. */
  kind: z.enum(['Incidents', 'Maintenance']),
  /** The worst severity of its work units; null without any. */
  severity: z.string().nullable(),
  mailServerIsSet: z.boolean(),
  digest: z.string(),
});
export type MailPreview = z.infer<typeof preview>;

export const previewCommunicationUpdate = defineAction({
  name: 'previewCommunicationUpdate',
  method: 'POST',
  path: '/v1/workunitcommunications/{wucommId}/updates/preview',
  access: edit,
  reads: true,
  about: 'The mails that an update would be, who would get them, and which contacts would not and why. Nothing is stored or sent.',
  input: z.object({ wucommId, ...update }),
  output: preview,
});

export const postCommunicationUpdate = defineAction({
  name: 'postCommunicationUpdate',
  method: 'POST',
  path: '/v1/workunitcommunications/{wucommId}/updates',
  access: edit,
  repeatable: true,
  about:
    'Publishes an update: sets status and next update of the communication, adds a completed step for customers, and with `mail` mails it to the contacts that it is for, once to each.',
  input: z.object({ wucommId, ...update, mail: z.boolean().default(false), digest }),
  output: z.object({ update: rowOf('communicationUpdates'), queued: z.int() }),
});

export const previewMailsOfUpdate = defineAction({
  name: 'previewMailsOfUpdate',
  method: 'GET',
  path: '/v1/communicationUpdates/preview/{id}',
  access: edit,
  about: 'The mails of a published update to the contacts who have not got it yet, as `previewCommunicationUpdate` answers.',
  input: z.object({ id: guidSchema }),
  output: preview,
});

export const mailCommunicationUpdate = defineAction({
  name: 'mailCommunicationUpdate',
  method: 'POST',
  path: '/v1/communicationUpdates/mail/{id}',
  access: edit,
  about: 'Mails a published update to the contacts that it is for and who have not got it yet. A repeated call mails nothing.',
  input: z.object({ id: guidSchema, digest }),
  output: z.object({ queued: z.int() }),
});

export const resendFailedMails = defineAction({
  name: 'resendFailedMails',
  method: 'POST',
  path: '/v1/communicationUpdates/resend/{id}',
  access: edit,
  about: 'Queues the failed mails of an update again, those of contacts who still get mails; all others stay as they are.',
  input: z.object({ id: guidSchema }),
  output: z.object({ queued: z.int() }),
});
