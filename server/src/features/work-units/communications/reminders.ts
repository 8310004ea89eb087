/** Sends a reminder by mail when an update that a communication promised is due: once for each due time. */
import { randomUUID } from 'node:crypto';
import type { Locale } from '@cloudfit/contract/messages/language.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { responsibleAddresses } from '../../../auth/administrators.ts';
import { grantIsOpen, grantsOfPerson } from '../../../auth/grants.ts';
import type { Db } from '../../../db/db.ts';
import { readerOf } from '../../../platform/language.ts';
import { mailTextsFor } from '../../../platform/mail-texts.ts';
import { momentText } from '../../../platform/times.ts';
import { enqueueAll, type NewJob } from '../../../jobs/queue.ts';
import type { Periodic } from '../../../jobs/schedule.ts';

interface DueUpdate {
  tenant_id: string;
  public_id: number;
  title: string;
  status: string;
  field: 'nextUpdate' | 'nextInternalUpdate';
  due: string;
  service_manager: string | null;
  manager_email: string | null;
  manager_locale: Locale | null;
  /** Whether the service manager is an account that may not view the communication any more. */
  manager_left: boolean;
  tenant_email: string | null;
  work_unit_ids: number[];
}

/** The days after which a due time causes no reminder any more, for example after an upgrade: it is only shown in the list. */
const reminderDays = 7;

const hasAccount = 'lower(trim(c.service_manager)) in (lower(p.user_name), lower(p.email))';
const isManager = `(${hasAccount} or lower(trim(c.service_manager)) = lower(p.name))`;
const maySee = `p.enabled and exists (select from access_grant g join permission_set s using (permission_set_id)
    where ${grantsOfPerson} and (g.tenant_id is null or g.tenant_id = c.tenant_id) and ${grantIsOpen} and s.permissions ? '${permission('WorkUnitCommunications', 'view')}')`;

// The unique row of a reminder prevents two workers from mailing twice. A service manager is named by an account, or as a person is called, and
// gets it only while they may view the communication: people of other customers have the same names, and people leave.
const due = `with due as (
  select c.work_unit_communication_id, c.tenant_id, u.field, u.due
  from work_unit_communication c join tenant t on t.tenant_id = c.tenant_id and t.enabled
  cross join lateral (values ('nextUpdate', c.next_update), ('nextInternalUpdate', c.next_internal_update)) as u (field, due)
  where c.status not in ('Cancelled', 'Resolved') and least(c.next_update, c.next_internal_update) <= now()
    and u.due <= now() and u.due > now() - make_interval(days => ${reminderDays})
    and not exists (select from communication_reminder r where r.work_unit_communication_id = c.work_unit_communication_id and r.field = u.field and r.due = u.due)
  order by u.due limit 200
), reminded as (
  insert into communication_reminder (work_unit_communication_id, tenant_id, field, due)
  select work_unit_communication_id, tenant_id, field, due from due on conflict do nothing returning work_unit_communication_id, field, due
)
select c.tenant_id, c.public_work_unit_communication_id as public_id, c.title, c.status, r.field, r.due, c.service_manager, t.internal_notification_email_address as tenant_email,
  m.email as manager_email, m.locale as manager_locale, m.email is null and exists (select from person p where ${hasAccount} and not (${maySee})) as manager_left,
  (select coalesce(jsonb_agg(w.work_unit_id), '[]') from work_unit_relation w where w.communication_id = c.work_unit_communication_id) as work_unit_ids
from reminded r join work_unit_communication c using (work_unit_communication_id) join tenant t on t.tenant_id = c.tenant_id
left join lateral (
  select p.email, p.locale from person p
  where p.email_verified and ${isManager} and ${maySee} order by ${hasAccount} desc, p.email desc limit 1
) m on true`;

const address = /^[^\s@<>,;]+@[^\s@<>,;]+$/;

/** Returns the address of the service manager, otherwise the tenant's address for internal notifications. */
function recipientOf({ service_manager, manager_email, manager_left, tenant_email }: DueUpdate): string | undefined {
  if (manager_email) return manager_email;
  const manager = service_manager?.trim() ?? '';
  return !manager_left && address.test(manager) ? manager : tenant_email?.trim() || undefined;
}

/** The reminder of one update. */
function mailOf(update: DueUpdate, to: string): NewJob {
  const { tenant_id: tenantId, public_id: id, title, status, work_unit_ids: workUnitIds } = update;
  const reader = readerOf(to === update.manager_email ? update.manager_locale : null);
  const texts = mailTextsFor(reader).reminder;
  const statuses: Readonly<Record<string, string>> = texts.statuses;
  const isInternal = update.field === 'nextInternalUpdate';
  const payload = {
    messageId: randomUUID(),
    tenantId,
    to,
    subject: texts.subject(id, isInternal),
    text: texts.text(title, isInternal, momentText(reader, update.due), statuses[status] ?? status),
    link: `/${tenantId}/workunitcommunications?publicWuCommId=${id}`,
    workUnitIds,
  };
  return { name: 'send-mail', payload, tenantId, correlationId: payload.messageId };
}

/** Queues a mail for each update that became due; returns the number of mails. */
export async function remindOfUpdates(db: Db): Promise<number> {
  return db.transaction(async (tx) => {
    const updates = await tx.query<DueUpdate>({ name: 'updates-due', text: due });
    const mails = [];
    for (const update of updates) {
      const recipient = recipientOf(update);
      // A promise that nobody is reminded of is broken without a word.
      for (const to of recipient ? [recipient] : await responsibleAddresses(tx, update.tenant_id)) mails.push(mailOf(update, to));
    }
    await enqueueAll(tx, mails);
    return mails.length;
  });
}

export const reminderWork: Periodic = {
  name: 'communication-reminders',
  everyMs: 30_000,
  run: async (db) => void (await remindOfUpdates(db)),
};
