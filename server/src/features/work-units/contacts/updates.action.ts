/** Publishes updates of communications, and mails them to contacts: previewed before, once to each. */
import { createHash, randomUUID } from 'node:crypto';
import {
  mailCommunicationUpdate,
  postCommunicationUpdate,
  previewCommunicationUpdate,
  previewMailsOfUpdate,
  resendFailedMails,
  type MailPreview,
} from '@cloudfit/contract/actions/work-units/communication-updates.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { languages, type Language } from '@cloudfit/contract/messages/language.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { communicationMails } from '@cloudfit/contract/resources/communication-mails.ts';
import type { communicationUpdates } from '@cloudfit/contract/resources/communication-updates.ts';
import { recordAudit } from '../../../auth/audit-entry.ts';
import { actorName, inTransaction, requirePermission, type Ctx } from '../../../context/ctx.ts';
import { changed } from '../../../db/changed.ts';
import { sql } from '../../../db/sql.ts';
import { enqueueAll, type NewJob } from '../../../jobs/queue.ts';
import type { ContactLinks } from '../../../platform/contact-links.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { create } from '../../../resources/create.ts';
import { get } from '../../../resources/get.ts';
import { writeRecorded } from '../../../resources/record.ts';
import { applyChange, prepareUpdate } from '../../../resources/update.ts';
import {
  answerUnits,
  servedWorkUnitCommunicationActivities,
  servedWorkUnitCommunications,
} from '../communications/communications.served.ts';
import type { Communication } from '../communications/communications.rules.ts';
import { actingIn } from '../resolution-center/acting.ts';
import { composeMail, type ComposedUpdate, type MailSource } from './compose.ts';
import { audienceOf, type Audience } from './recipients.ts';
import { servedCommunicationUpdates } from './updates.served.ts';

type PublishedUpdate = Row<typeof communicationUpdates>;

interface MailParts {
  links: ContactLinks;
  /** The HTML form of a mail's text, as the mail is sent. */
  htmlOf: (text: string) => string;
  mailServerIsSet: boolean;
}

/** The maximum number of jobs in one statement. */
const atOnce = 500;

interface ComposedFor {
  language: Language;
  timeZone: string;
  recipients: number;
  mail: ComposedUpdate;
}

/** The mails of an update and who gets them, as they are at this moment. */
interface Mailing {
  audience: Audience;
  recipients: Audience['contacts'];
  /** One for each language and time zone of the recipients. */
  mails: readonly ComposedFor[];
  digest: string;
}

/** @param updateId null for an update that is not published yet. */
async function mailingOf(ctx: Ctx, communication: Communication, update: MailSource['update'], updateId: string | null): Promise<Mailing> {
  const { tenantId, workUnitCommunicationId } = communication;
  const [tenant] = await ctx.db.query<{ name: string }>({ text: 'select name from tenant where tenant_id = $1', values: [tenantId] });
  const audience = await audienceOf(ctx.db, tenantId, workUnitCommunicationId, updateId);
  const recipients = audience.contacts.filter(({ reason }) => reason === null);
  const source = { communication, update, tenantName: tenant?.name ?? '' };
  const mails: ComposedFor[] = [];
  for (const { language, timeZone } of recipients) {
    const same = mails.find((entry) => entry.language === language && entry.timeZone === timeZone);
    if (same) same.recipients += 1;
    else mails.push({ language, timeZone, recipients: 1, mail: composeMail(source, language, timeZone) });
  }
  const content = [mails.map(({ mail }) => [mail.subject, mail.text()]), recipients.map(({ email }) => email)];
  return { audience, recipients, mails, digest: createHash('sha256').update(JSON.stringify(content)).digest('hex') };
}

function previewOf({ audience, recipients, mails, digest }: Mailing, { htmlOf, mailServerIsSet }: MailParts): MailPreview {
  return {
    mails: mails
      .toSorted((a, b) => languages.indexOf(a.language) - languages.indexOf(b.language) || b.recipients - a.recipients)
      .map(({ mail, ...entry }) => ({ ...entry, subject: mail.subject, text: mail.text(), html: htmlOf(mail.text()) })),
    recipients: recipients.map(({ name, email, language }) => ({ name, email, language })),
    others: audience.contacts.flatMap(({ name, email, reason }) => (reason ? [{ name, email, reason }] : [])),
    kind: audience.kind,
    severity: audience.severity,
    mailServerIsSet,
    digest,
  };
}

const insertMails = `with added as (
  insert into communication_mail (tenant_id, work_unit_communication_id, communication_update_id, communication_contact_id, name, email, subject, body, state, message_id)
  select $1, $2, $3, id, name, email, subject, body, 'Queued', message_id
  from jsonb_to_recordset($4::jsonb) as x (id uuid, name text, email text, subject text, body text, message_id uuid)
  on conflict (communication_update_id, email) do nothing returning tenant_id, communication_mail_id, message_id
), told as (${changed(communicationMails, 'create', 'added', '$5')})
select message_id as "messageId" from added`;

/** Queues the mails to those who have none of this update yet; returns their number. Call it in a transaction. */
async function queueMails(
  ctx: Ctx,
  { communicationUpdateId, workUnitCommunicationId, tenantId }: PublishedUpdate,
  { recipients, mails, digest }: Mailing,
  links: ContactLinks,
  previewed: string | undefined,
): Promise<number> {
  if (previewed !== undefined && previewed !== digest)
    throw new ApiError('Conflict', 'The mail or its recipients have changed since the preview. Please look at the preview again.');
  const rows = recipients.flatMap(({ id, name, email, language, timeZone }) => {
    const unsubscribe = links.url({ tenantId, communicationContactId: id });
    const composed = mails.find((entry) => entry.language === language && entry.timeZone === timeZone);
    if (!composed) return [];
    const { subject, text } = composed.mail;
    return [{ id, name, email, subject, body: text(unsubscribe), message_id: randomUUID(), unsubscribe }];
  });
  if (rows.length === 0) return 0;
  const values = [tenantId, workUnitCommunicationId, communicationUpdateId, JSON.stringify(rows), ctx.correlationId];
  const added = new Set((await ctx.db.query<{ messageId: string }>({ text: insertMails, values })).map(({ messageId }) => messageId));
  await enqueueMails(
    ctx,
    tenantId,
    rows.filter((row) => added.has(row.message_id)),
  );
  return added.size;
}

interface QueuedMailRow {
  message_id: string;
  email: string;
  subject: string;
  body: string;
  unsubscribe: string;
}

async function enqueueMails(ctx: Ctx, tenantId: string, rows: readonly QueuedMailRow[]): Promise<void> {
  const jobs = rows.map(({ message_id: messageId, email: to, subject, body: text, unsubscribe }): NewJob => ({
    name: 'send-mail',
    payload: { messageId, tenantId, to, subject, text, unsubscribe },
    tenantId,
    correlationId: ctx.correlationId,
    onceKey: messageId,
  }));
  for (let at = 0; at < jobs.length; at += atOnce) await enqueueAll(ctx.db, jobs.slice(at, at + atOnce));
}

const audit = (ctx: Ctx, update: PublishedUpdate, verb: string, after: object) =>
  recordAudit(ctx.db, {
    actor: { ...ctx.actor, name: actorName(ctx) },
    verb,
    entity: 'communicationUpdates',
    entityId: update.communicationUpdateId,
    tenantId: update.tenantId,
    after,
    correlationId: ctx.correlationId,
    address: ctx.address,
  });

/** Without the answer to the linked units, which the update gives itself. More statements of the transaction follow. */
const withoutAnswer: typeof servedWorkUnitCommunications = {
  ...servedWorkUnitCommunications,
  needsAfter: () => true,
  after: () => undefined,
};

interface NewUpdate {
  wucommId: number;
  text: string;
  status: Communication['status'];
  nextUpdate: string | null;
  rootCause?: string | null | undefined;
}

/** The fields of the communication that an update sets. */
const fieldsOf = ({ status, nextUpdate, rootCause }: NewUpdate) => ({ status, nextUpdate, ...(rootCause?.trim() ? { rootCause } : {}) });

async function preview(ctx: Ctx, input: NewUpdate, parts: MailParts): Promise<MailPreview> {
  const before = await get(ctx, servedWorkUnitCommunications, input.wucommId);
  const { after } = await prepareUpdate(ctx, servedWorkUnitCommunications, before, fieldsOf(input));
  return previewOf(await mailingOf(ctx, after, { text: input.text, status: input.status, nextUpdate: after.nextUpdate }, null), parts);
}

async function publish(
  outside: Ctx,
  { mail, digest, ...input }: NewUpdate & { mail: boolean; digest?: string | undefined },
  links: ContactLinks,
): Promise<{ update: PublishedUpdate; queued: number }> {
  const { wucommId, text, status } = input;
  return inTransaction(outside, async (ctx) => {
    const before = await get(ctx, servedWorkUnitCommunications, wucommId, { lock: 'edit' });
    const change = await prepareUpdate(ctx, withoutAnswer, before, fieldsOf(input));
    await applyChange(ctx, withoutAnswer, change);
    const communication = change.after;
    const { tenantId } = communication;
    // Status pages and reports show the update as a completed step.
    const step = await create(
      actingIn(ctx, tenantId, permission('WorkUnitCommunications', 'create'), permission('WorkUnitCommunications', 'view')),
      servedWorkUnitCommunicationActivities,
      { workUnitCommunicationId: wucommId, details: text, isCustomerFacing: true, isComplete: true },
    );
    const write = sql`insert into communication_update (tenant_id, work_unit_communication_id, work_unit_communication_activity_id, status, detail, next_update, created_by)
      values (${tenantId}, ${wucommId}, ${step.workUnitCommunicationActivityId}, ${status}, ${text}, ${communication.nextUpdate}, ${actorName(ctx)}) returning *`;
    const update = await writeRecorded(ctx, servedCommunicationUpdates, 'create', write, null);
    if (!update) throw new Error('An insert answers its row.');
    const content = { text, status, nextUpdate: communication.nextUpdate };
    const queued = mail ? await queueMails(ctx, update, await mailingOf(ctx, communication, content, null), links, digest) : 0;
    if (mail) await audit(ctx, update, 'mail', { queued });
    if (communication.isPublic || queued > 0) await answerUnits(ctx, wucommId);
    return { update, queued };
  });
}

/** Returns a published update and its communication, if the caller may edit that. */
async function editable(ctx: Ctx, id: string): Promise<{ update: PublishedUpdate; communication: Communication }> {
  const update = await get(ctx, servedCommunicationUpdates, id);
  requirePermission(ctx, 'WorkUnitCommunications', 'edit', update.tenantId);
  return { update, communication: await get(ctx, servedWorkUnitCommunications, update.workUnitCommunicationId) };
}

const mailingOfUpdate = (ctx: Ctx, { update, communication }: { update: PublishedUpdate; communication: Communication }) =>
  mailingOf(
    ctx,
    communication,
    { text: update.detail, status: update.status, nextUpdate: update.nextUpdate },
    update.communicationUpdateId,
  );

const again = `with due as (
  update communication_mail m set state = 'Queued', reason = null, message_id = gen_random_uuid(), modified = now(), version = m.version + 1
  from communication_contact c
  where m.communication_update_id = $1 and m.state = 'Failed' and c.communication_contact_id = m.communication_contact_id and c.active
  returning m.tenant_id, m.communication_mail_id, m.message_id, m.email, m.subject, m.body, c.communication_contact_id
), told as (${changed(communicationMails, 'update', 'due', '$2')})
select message_id, email, subject, body, communication_contact_id as "contactId" from due`;

export function communicationUpdateActions(parts: MailParts): readonly ImplementedAction[] {
  const { links } = parts;
  return [
    implement(previewCommunicationUpdate, (ctx, input) => preview(ctx, input, parts)),
    implement(postCommunicationUpdate, (ctx, input) => publish(ctx, input, links)),
    implement(previewMailsOfUpdate, async (ctx, { id }) => previewOf(await mailingOfUpdate(ctx, await editable(ctx, id)), parts)),
    implement(mailCommunicationUpdate, (outside, { id, digest }) =>
      inTransaction(outside, async (ctx) => {
        const of = await editable(ctx, id);
        const queued = await queueMails(ctx, of.update, await mailingOfUpdate(ctx, of), links, digest);
        if (queued > 0) {
          await audit(ctx, of.update, 'mail', { queued });
          await answerUnits(ctx, of.update.workUnitCommunicationId);
        }
        return { queued };
      }),
    ),
    implement(resendFailedMails, (outside, { id }) =>
      inTransaction(outside, async (ctx) => {
        const { update } = await editable(ctx, id);
        const rows = await ctx.db.query<Omit<QueuedMailRow, 'unsubscribe'> & { contactId: string }>({
          text: again,
          values: [id, ctx.correlationId],
        });
        const { tenantId } = update;
        await enqueueMails(
          ctx,
          tenantId,
          rows.map((row) => ({ ...row, unsubscribe: links.url({ tenantId, communicationContactId: row.contactId }) })),
        );
        if (rows.length > 0) await audit(ctx, update, 'mail', { queued: rows.length });
        return { queued: rows.length };
      }),
    ),
  ];
}
