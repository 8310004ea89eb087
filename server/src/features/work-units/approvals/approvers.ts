/** The people behind the approvers of a change: who they are, who named them, and the mail to them. */
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { randomUUID } from 'node:crypto';
import { overrideApproval } from '@cloudfit/contract/permissions.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Locale } from '@cloudfit/contract/messages/language.ts';
import { may, type Ctx } from '../../../context/ctx.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { labelTextFor } from '../../../platform/choice-text.ts';
import { readerOf } from '../../../platform/language.ts';
import { mailTextsFor } from '../../../platform/mail-texts.ts';
import type { FieldError, RowChange } from '../../../resources/served.ts';
import { writeHistory } from '../feed/history.ts';
import { frozenBecause } from './freezes.ts';
import { editsApproved, hasStarted, isApproved, isEnded, judgedFields, withoutApprovals, type WorkUnitRow } from '../state.rules.ts';

export type ApprovalSlot = 1 | 2;

interface Approver {
  person_id: string;
  address: string;
  enabled: boolean;
  locale: Locale | null;
}

/** Returns the person who acts, also through a token that they own or created; null for automation. */
async function actingPerson(ctx: Ctx): Promise<string | null> {
  if (ctx.actor.kind !== 'token') return ctx.actor.kind === 'person' ? ctx.actor.id : null;
  const [token] = await ctx.db.query<{ person_id: string | null }>({
    name: 'person-of-token',
    text: `select coalesce((select owner_id::text from token_grant where token_grant_id::text = $1),
      (select actor_id from audit where entity = 'tokens' and entity_id = $1 and verb = 'create' and actor_kind = 'person' limit 1)) as person_id`,
    values: [ctx.actor.id],
  });
  return token?.person_id ?? null;
}

const keep = {
  1: `update work_unit set approver1_id = $2, approver1_named_by = (select person_id from person where person_id = $3) where work_unit_id = $1`,
  2: `update work_unit set approver2_id = $2, approver2_named_by = (select person_id from person where person_id = $3) where work_unit_id = $1`,
} as const;

/**
 * Stores the people behind new approvers and who named them, in the transaction of the change. New approvers of a change
 * request get a mail, unless they named themselves.
 */
export async function keepApprovers(ctx: Ctx, { after, changed }: RowChange<WorkUnitRow>): Promise<void> {
  const isNowChange = after.workUnitTypeId === workUnitType.changeRequest && changed.includes('workUnitTypeId');
  for (const slot of [1, 2] as const) {
    const isNamed = changed.includes(`approver${slot}`);
    const name = after[`approver${slot}`];
    if (!isNamed && !(isNowChange && name)) continue;
    const [approver] = await ctx.db.query<Approver>({
      name: 'approver',
      text: 'select person_id, coalesce(email, user_name) as address, enabled, locale from person where lower(user_name) = lower($1)',
      values: [name],
    });
    const namedBy = await actingPerson(ctx);
    if (isNamed) await ctx.db.query({ text: keep[slot], values: [after.workUnitId, approver?.person_id ?? null, namedBy] });
    if (approver?.enabled && approver.person_id !== namedBy && after.workUnitTypeId === workUnitType.changeRequest)
      await tell(ctx, after, slot, approver);
  }
}

async function tell(
  ctx: Ctx,
  { workUnitId, publicWorkUnitId, tenantId, title, createdBy }: WorkUnitRow,
  slot: ApprovalSlot,
  { address: to, locale }: Approver,
  edited: readonly string[] = [],
) {
  const reader = readerOf(locale);
  const { subject, text } = mailTextsFor(reader).approval;
  const [requester] = await ctx.db.query<{ name: string }>({
    name: 'requester',
    text: 'select name from person where lower(user_name) = lower($1)',
    values: [createdBy],
  });
  await enqueue(ctx.db, {
    name: 'send-mail',
    payload: {
      messageId: randomUUID(),
      tenantId,
      to,
      subject: subject(publicWorkUnitId),
      text: text(
        slot,
        publicWorkUnitId,
        requester?.name ?? createdBy,
        title,
        edited.map((label) => labelTextFor(reader, label)).join(', '),
      ),
      link: `/${tenantId}/workunitsv2?workUnitId=${workUnitId}`,
      workUnitIds: [workUnitId],
    },
    tenantId,
    correlationId: ctx.correlationId,
  });
}

/** Returns an error if both approvers are the same person. */
function samePerson({ after, changed }: RowChange<WorkUnitRow>): FieldError[] {
  const [first, second] = [after.approver1, after.approver2].map((name) => name?.trim().toLowerCase());
  if (!first || first !== second || !(changed.includes('approver1') || changed.includes('approver2'))) return [];
  return [{ target: 'approver2', message: 'Approver 2 must be another person than Approver 1.' }];
}

/** Whether the tenant's change requests need approval. */
export async function changesNeedApproval(ctx: Ctx, tenantId: string): Promise<boolean> {
  const [tenant] = await ctx.db.query<{ changes_need_approval: boolean }>({
    name: 'changes-need-approval',
    text: 'select changes_need_approval from tenant where tenant_id = $1',
    values: [tenantId],
  });
  return tenant?.changes_need_approval ?? false;
}

/**
 * Returns the fields that a write of an approved plan also clears: the approvals, which were about another plan. They stay if
 * the writer may override approvals, or if the tenant requires none.
 */
export async function clearedApprovals(ctx: Ctx, { before, after, changed }: RowChange<WorkUnitRow>): Promise<Partial<WorkUnitRow>> {
  if (!editsApproved(before, after, changed) || may(ctx, overrideApproval, after.tenantId)) return {};
  return (await changesNeedApproval(ctx, after.tenantId)) ? withoutApprovals : {};
}

/** Says in the feed why approvals were cleared, and mails the approvers whose approval was cleared to decide again. */
export async function askAgain(ctx: Ctx, { before, after, changed }: RowChange<WorkUnitRow>): Promise<void> {
  if (!before || !editsApproved(before, after, changed)) return;
  // A new approver gets the mail of `keepApprovers` instead.
  const slots = ([1, 2] as const).filter(
    (slot) => before[`approved${slot}By`] !== null && after[`approved${slot}By`] === null && !changed.includes(`approver${slot}`),
  );
  if (slots.length === 0) return;
  const edited = judgedFields.filter((name) => changed.includes(name)).map((name) => workUnits.fields[name].label);
  const names = slots.map((slot) => before[`approved${slot}By`]);
  const detail = `${edited.join(', ')} changed after the approval: ${names.join(' and ')} ${names.length === 1 ? 'has' : 'have'} to approve again.`;
  await writeHistory(ctx, after, [{ historyType: 'WorkUnitEvent', detail }]);
  for (const slot of slots) {
    const [approver] = await ctx.db.query<Approver>({
      name: 'approver',
      text: 'select person_id, coalesce(email, user_name) as address, enabled, locale from person where lower(user_name) = lower($1)',
      values: [after[`approver${slot}`]],
    });
    if (approver?.enabled) await tell(ctx, after, slot, approver, edited);
  }
}

/** Returns an error if a change starts before its approvers have approved it, unless its tenant requires no approvals. */
async function undecided(ctx: Ctx, { after, changed }: RowChange<WorkUnitRow>): Promise<FieldError[]> {
  const matters = changed.includes('stateId') || changed.includes('workUnitTypeId');
  if (!matters || !hasStarted(after) || isApproved(after) || !(await changesNeedApproval(ctx, after.tenantId))) return [];
  const missing = ([1, 2] as const)
    .filter((slot) => after[`approved${slot}By`] === null && (slot === 1 || after.isApproverRequired))
    .map((slot) => after[`approver${slot}`] ?? `approver ${slot}`);
  const message = `This Change Request cannot become ${after.stateId} before ${missing.join(' and ')} approved it.`;
  return [{ target: 'stateId', message }];
}

/** Returns an error if a change starts during a freeze, or is planned in one, without an override. */
async function frozen(ctx: Ctx, { before, after }: RowChange<WorkUnitRow>): Promise<FieldError[]> {
  if (!hasStarted(after) || isEnded(after.stateId) || (before && hasStarted(before))) return [];
  const message = await frozenBecause(ctx, after, true);
  return message === undefined ? [] : [{ target: 'stateId', message }];
}

export async function approvalFaults(ctx: Ctx, change: RowChange<WorkUnitRow>): Promise<FieldError[]> {
  if (change.after.workUnitTypeId !== workUnitType.changeRequest) return [];
  const missing = await undecided(ctx, change);
  return [...samePerson(change), ...missing, ...(missing.length === 0 ? await frozen(ctx, change) : [])];
}
