/** What a mail about a work unit carries, so that an answer comes back to the unit, and mail programs show both in one thread. */
import type { Db } from '../../../db/db.ts';

export interface MailThread {
  /** The address of the mailbox that reads answers. */
  replyTo: string;
  /** Message-IDs of the mails before it, the newest last; those of this server without their domain. */
  references: readonly string[];
  /** Whether a person wrote it; else it says that a program did, so that no program answers. */
  isAnswer: boolean;
}

// The mailbox that has taken mails of the unit, or else the oldest one of the tenant. The mail of an answer was stored with its note.
const remember = `with box as (
  select m.mailbox_id, m.address from mailbox m where m.tenant_id = $1 and m.enabled
  order by exists (select from mailbox_mail r where r.work_unit_id = $2 and r.mailbox_id = m.mailbox_id) desc, m.created limit 1
), stored as (
  insert into unit_mail (message_id, tenant_id, work_unit_id, mailbox_id, recipients, subject)
  select $3::uuid, $1, $2, mailbox_id, left($4, 4000), left($5, 500) from box
  on conflict (message_id) do nothing
)
select b.address, coalesce((select u.is_answer from unit_mail u where u.message_id = $3::uuid), false) as is_answer,
  array(select id from (
    select m.message_id as id, m.received as at from mailbox_mail m
      where m.work_unit_id = $2 and m.tenant_id = $1 and m.message_id is not null and m.outcome in ('Opened', 'Replied') and m.sender = any($6::text[])
    union all select u.message_id::text, u.created from unit_mail u where u.work_unit_id = $2 and u.tenant_id = $1 and u.recipients = $4 and u.message_id <> $3::uuid
    order by at desc limit 20) before order by at) as before
from box b`;

interface ThreadRow {
  address: string;
  is_answer: boolean;
  before: string[];
}

/** Stores that the mail is sent about the unit. Returns its thread; undefined when the tenant has no mailbox for answers. */
export async function threadOf(
  db: Db,
  mail: { tenantId: string; workUnitId: number; messageId: string; recipients: string; subject: string },
): Promise<MailThread | undefined> {
  const { tenantId, workUnitId, messageId, recipients, subject } = mail;
  const addresses = recipients
    .toLowerCase()
    .split(/[,;<>\s]+/)
    .filter((text) => text.includes('@'));
  const [row] = await db.query<ThreadRow>({
    name: 'mail-thread',
    text: remember,
    values: [tenantId, workUnitId, messageId, recipients, subject, addresses],
  });
  return row && { replyTo: row.address, references: row.before, isAnswer: row.is_answer };
}
