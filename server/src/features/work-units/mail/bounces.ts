/** A mail that was sent about a unit and came back: stored at the mail, and said in the feed of its unit. */
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { changed } from '../../../db/changed.ts';

// Once for each mail: servers report a mail to each of its recipients, and some report twice.
const failed = `with sent as (
  update unit_mail u set failed = $3 from work_unit w
  where u.message_id = any($2::uuid[]) and u.tenant_id = $1 and u.failed is null and w.work_unit_id = u.work_unit_id and w.tenant_id = $1
  returning u.work_unit_id, u.tenant_id, u.subject, u.recipients
), noted as (
  insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, is_warning, created_by, correlation_id)
  select work_unit_id, tenant_id, left('The mail "' || subject || '" to ' || case when $4 = '' then recipients else $4 end || ' came back: ' || $3, 4000),
    'General', true, 'Automation', $5 from sent
  returning tenant_id, work_unit_note_id, work_unit_id, correlation_id
), told as (${changed(workUnitNotes, 'create', 'noted')} returning 1)
select work_unit_id from noted`;

/** Records the report about a mail of the tenant; returns the unit of the mail, and undefined when it is none of its mails. */
export async function recordBounce(
  ctx: Ctx,
  tenantId: string,
  { failed: hasFailed, recipient, reason }: { failed: boolean; recipient: string; reason: string },
  messageIds: readonly string[],
): Promise<number | undefined> {
  if (!hasFailed || messageIds.length === 0) return undefined;
  const [row] = await ctx.db.query<{ work_unit_id: number }>({
    text: failed,
    values: [tenantId, messageIds, reason || 'The mail server gave no reason.', recipient, ctx.correlationId],
  });
  return row?.work_unit_id;
}
