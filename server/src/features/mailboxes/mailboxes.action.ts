import { mailsOfMailbox, newMailboxToken, testMailbox, type listedMail, type mailboxTrial } from '@cloudfit/contract/actions/mailboxes.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import { mailboxTokenPrefix } from '@cloudfit/contract/mail/mailboxes.ts';
import type { mailboxes } from '@cloudfit/contract/resources/mailboxes.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { z } from 'zod';
import { createIntegrationToken } from '../../auth/integration-token.ts';
import { inTransaction, requirePermission, type Ctx } from '../../context/ctx.ts';
import { sql } from '../../db/sql.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { writeRecorded } from '../../resources/record.ts';
import { servedMailboxes } from './mailboxes.served.ts';

const renew = implement(newMailboxToken, (ctx, { id }) =>
  inTransaction(ctx, async (ctx) => {
    const before = await get(ctx, servedMailboxes, id, { lock: 'edit' });
    requirePermission(ctx, 'Sources', 'edit', before.tenantId);
    const { hash, hint, token } = createIntegrationToken(mailboxTokenPrefix);
    const write = sql`update mailbox set token_hash = ${hash}, token_hint = ${hint}, modified = now(), version = version + 1
      where mailbox_id = ${id}::uuid returning *`;
    const row = await writeRecorded(ctx, servedMailboxes, 'update', write, before);
    if (!row) throw notFound('Mailbox');
    return { mailboxId: id, generatedToken: token };
  }),
);

interface ListedMailRow {
  mailId: string;
  received: string;
  sender: string;
  senderName: string;
  subject: string;
  outcome: z.infer<typeof listedMail>['outcome'];
  reason: string | null;
  message: string | null;
  sample: string;
  size: number;
  checks: string | null;
  workUnitId: number | null;
  publicWorkUnitId: number | null;
}

const shown = 50;
/** One more, which says that there are older ones. */
const fetched = 51;

// A unit that has moved to another tenant is not shown with its number.
const mails = `select m.mailbox_mail_id as "mailId", m.received, m.sender, m.sender_name as "senderName", m.subject, m.outcome, m.reason, m.message, m.sample, m.size,
  m.checks, w.work_unit_id as "workUnitId", w.public_work_unit_id as "publicWorkUnitId"
from mailbox_mail m left join work_unit w on w.work_unit_id = m.work_unit_id and w.tenant_id = m.tenant_id
where m.mailbox_id = $1 and ($2 or m.outcome in ('Held', 'Refused')) and ($3::timestamptz is null or m.received < $3)
order by m.received desc, m.mailbox_mail_id desc limit ${fetched}`;

const reasons = `select reason, count(*)::int as count, max(received) as last from mailbox_mail
where mailbox_id = $1 and outcome in ('Held', 'Refused') and reason is not null group by reason order by count(*) desc, reason`;

const listed = implement(mailsOfMailbox, async (ctx, { id, all, before }) => {
  await get(ctx, servedMailboxes, id);
  const rows = await ctx.db.query<ListedMailRow>({ text: mails, values: [id, all === 'true', before ?? null] });
  const counts = await ctx.db.query<{ reason: string | null; count: number; last: string | null }>({ text: reasons, values: [id] });
  return {
    value: rows.slice(0, shown),
    more: rows.length > shown,
    reasons: counts.map(({ reason, count, last }) => ({ reason: reason ?? '', count, last: last ?? '' })),
  };
});

/** Connects to a mailbox as it is stored; passed in by the app, because features call nobody. */
export type TryMailbox = (ctx: Ctx, box: Row<typeof mailboxes>) => Promise<z.infer<typeof mailboxTrial>>;

export function mailboxActions({ mailboxes: parts }: { mailboxes: { tryMailbox: TryMailbox } }): readonly ImplementedAction[] {
  const test = implement(testMailbox, async (ctx, { id }) => {
    const box = await get(ctx, servedMailboxes, id);
    requirePermission(ctx, 'Sources', 'edit', box.tenantId);
    return parts.tryMailbox(ctx, box);
  });
  return [renew, listed, test];
}
