/** Queues waiting mails once a mail server is set, and gives up those that waited too long. */
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { outboxMessages } from '@cloudfit/contract/resources/outbox.ts';
import { systemCtx } from '../auth/system-ctx.ts';
import type { Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { notify } from '../db/notify.ts';
import { runActionName } from '../executions/executions.ts';
import { jobsOf } from '../jobs/queue.ts';
import type { Periodic } from '../jobs/schedule.ts';
import { recordResult } from './action-result.ts';
import { recordMailFailure, sendMailName } from './send-mail.job.ts';
import type { Ctx } from '../context/ctx.ts';
import { changed } from '../db/changed.ts';

const atOnce = 100;
/** Days for which a mail waits for a mail server. Older mails are outdated, and would flood mailboxes. */
const keptDays = 7;

// One statement, so that the row of a mail is deleted exactly when its job is created or its action has ended. The mail of an
// action is composed again, because the outbox contains no secrets. A mail whose key is still in the queue waits for the next
// round and does not block younger mails.
const release = `with due as (
  select o.*, h.message_id is not null as is_action, h.result_status_id = ${resultStatus.enqueueSuccess} as is_open,
    to_char(o.created at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"') as since
  from outbox_message o left join action_history h on h.message_id = o.message_id
  where h.result_status_id <> ${resultStatus.enqueueSuccess} or not exists (select from job j where j.once_key = o.message_id::text)
  order by o.created limit ${atOnce} for update of o skip locked
), queued as (
  ${jobsOf(
    'due where not is_action or is_open',
    `case when is_action then '${runActionName}' else '${sendMailName}' end`,
    `case when is_action then jsonb_build_object('messageId', message_id) else jsonb_build_object('messageId', message_id, 'tenantId', tenant_id, 'to', recipients,
      'subject', subject, 'text', body, 'workUnitIds', to_jsonb(work_unit_ids), 'keptSince', since, 'unsubscribe', unsubscribe,
      'table', mail_table, 'attachments', attachments) end`,
    'message_id::text',
  )} returning once_key
), released as (
  delete from outbox_message o using due where o.outbox_message_id = due.outbox_message_id
    and (due.message_id::text in (select once_key from queued) or due.is_action and not due.is_open)
  returning o.outbox_message_id, o.message_id, o.tenant_id, o.correlation_id, due.since
), opened as (
  update action_history h set kept_since = null, result_detail = (coalesce(h.result_detail, '{}') - 'reason') || jsonb_build_object('keptSince', r.since)
  from released r where h.message_id = r.message_id and h.kept_since is not null returning h.tenant_id, h.action_history_id, h.correlation_id
), told as (
  ${changed(actionHistories, 'update', 'opened')}
  union all select tenant_id, 'delete', 'outboxMessages', outbox_message_id::text, correlation_id from released
)
select 1 from released`;

/** Queues the waiting mails and returns their number. Call it only if a mail server is set. */
export async function releaseOutboxMails(db: Db): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await db.transaction(async (tx) => {
      const released = await tx.query({ name: 'mail-release', text: release });
      if (released.length > 0) await notify(tx, 'jobs');
      return released.length;
    });
    total += count;
    if (count < atOnce) return total;
  }
}

interface OldMail {
  message_id: string;
  tenant_id: string | null;
  recipients: string;
  subject: string;
  body: string;
  work_unit_ids: number[];
}

const giveUp = `with old as (
  delete from outbox_message where outbox_message_id in (
    select outbox_message_id from outbox_message where created < now() - make_interval(days => ${keptDays}) order by created limit 1 for update skip locked
  ) returning *
), changed as (${changed(outboxMessages, 'delete', 'old')})
select message_id, tenant_id, recipients, subject, body, to_jsonb(work_unit_ids) as work_unit_ids from old`;

/** Records mails that waited too long as failed. */
export async function giveUpOldMails(ctx: Ctx): Promise<void> {
  const error = `It was kept for ${keptDays} days, and no mail server was set.`;
  for (;;) {
    const isMore = await ctx.db.transaction(async (db) => {
      const [old] = await db.query<OldMail>({ name: 'mail-give-up', text: giveUp });
      if (!old) return false;
      await recordResult(db, old.message_id, { succeeded: false, detail: { error } });
      const { message_id: messageId, tenant_id: tenantId, recipients: to, body: text, subject, work_unit_ids: workUnitIds } = old;
      await recordMailFailure({ ...ctx, db }, { messageId, tenantId, to, subject, text, workUnitIds }, error);
      return true;
    });
    if (!isMore) return;
  }
}

/** Runs every half minute. */
export function outboxMailWork(database: Database, log: Ctx['log'], options: { mailServerIsSet: boolean }): Periodic {
  return {
    name: 'kept-mails',
    everyMs: 30_000,
    run: async (db) => {
      await giveUpOldMails(systemCtx({ database, log, name: 'Automation' }));
      if (options.mailServerIsSet) await releaseOutboxMails(db);
    },
  };
}
