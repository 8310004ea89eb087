/** Sends what the desk writes to the customers of a unit by mail to those who have written by mail. */
import { randomUUID } from 'node:crypto';
import { oneLine, startOf } from '@cloudfit/contract/one-line.ts';
import type { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { withoutFiles } from '@cloudfit/contract/notes.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { enqueue } from '../../../jobs/queue.ts';

const maxRecipients = 10;

// Those of the duplicates that are merged into the unit read what is written to it too. The mailbox must still be there, because answers come back.
const customers = `select w.public_work_unit_id, w.title, array(
  select m.sender from mailbox_mail m join mailbox b on b.mailbox_id = m.mailbox_id and b.enabled
    join work_unit_note n on n.work_unit_note_id = m.work_unit_note_id and n.is_from_customer
  where (m.work_unit_id = w.work_unit_id or m.work_unit_id in (select g.work_unit_id from work_unit_merge g where merged_into(g.work_unit_id) = w.work_unit_id))
    and m.tenant_id = w.tenant_id and m.outcome in ('Opened', 'Replied')
  group by m.sender order by max(m.received) desc limit ${maxRecipients}) as recipients
from work_unit w where w.work_unit_id = $1`;

const remember = `insert into unit_mail (message_id, tenant_id, work_unit_id, recipients, subject, is_answer) values ($1, $2, $3, $4, $5, true)`;

/** Queues the mail of an external note, in its transaction; nothing happens for a unit without mails of customers. */
export async function answerByMail(ctx: Ctx, { workUnitId, tenantId, detail }: Row<typeof workUnitNotes>): Promise<void> {
  const [unit] = await ctx.db.query<{ public_work_unit_id: number; title: string; recipients: string[] }>({
    name: 'mail-customers',
    text: customers,
    values: [workUnitId],
  });
  if (!unit) return;
  const subject = `Re: ${startOf(oneLine(unit.title), 450)} [#${unit.public_work_unit_id}]`;
  // A mail for each: customers need not learn who else asks.
  for (const to of unit.recipients) {
    const messageId = randomUUID();
    await ctx.db.query({ text: remember, values: [messageId, tenantId, workUnitId, to, subject] });
    const payload = { messageId, tenantId, to, subject, text: withoutFiles(detail), workUnitIds: [workUnitId] };
    await enqueue(ctx.db, { name: 'send-mail', payload, tenantId, correlationId: ctx.correlationId });
  }
}
