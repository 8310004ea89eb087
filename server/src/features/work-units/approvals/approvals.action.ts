/** Decisions of approvers about change requests (security, section 7), emergency overrides, and the change to this type. */
import { sql } from '../../../db/sql.ts';
import {
  approvalLookup,
  approveChange,
  changeToChangeRequest,
  declineChange,
  overrideApproval,
} from '@cloudfit/contract/actions/work-units/approvals.ts';
import { decisionEvent } from '@cloudfit/contract/notes.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { ApiError, forbidden, notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import { overrideApproval as overrideApprovalPermission } from '@cloudfit/contract/permissions.ts';
import { recordAudit } from '../../../auth/audit-entry.ts';
import { actorName, inTransaction, may, requirePermission, type Ctx } from '../../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import { writeRecorded } from '../../../resources/record.ts';
import { changedFields, update } from '../../../resources/update.ts';
import { writeHistory } from '../feed/history.ts';
import { followUnit } from '../service-levels/unit-clocks.ts';
import { wakeFor } from '../snooze/wake.ts';
import { isApproved, isEnded, planFields, type WorkUnitRow } from '../state.rules.ts';
import { servedWorkUnits } from '../work-units.served.ts';
import type { ApprovalSlot } from './approvers.ts';
import { frozenBecause } from './freezes.ts';

/** Whether the caller is a person with this sign-in name. */
function isCaller(ctx: Ctx, approver: string | null): boolean {
  return ctx.actor.kind === 'person' && approver !== null && approver.trim().toLowerCase() === ctx.actor.userName.toLowerCase();
}

interface ApproverOfSlot {
  /** The person who had that name when named as approver; null if there was none. */
  person_id: string | null;
  named_by: string | null;
  /** The person behind the other approver. */
  other_id: string | null;
}

async function slotOf(ctx: Ctx, workUnitId: number, slot: ApprovalSlot): Promise<ApproverOfSlot> {
  const [row] = await ctx.db.query<ApproverOfSlot>({
    name: 'approval-slot',
    text: `select case $2::int when 1 then approver1_id else approver2_id end as person_id,
      case $2::int when 1 then approver1_named_by else approver2_named_by end as named_by,
      case $2::int when 1 then approver2_id else approver1_id end as other_id from work_unit where work_unit_id = $1`,
    values: [workUnitId, slot],
  });
  return row ?? { person_id: null, named_by: null, other_id: null };
}

/** Whether the caller created the change, also under a former sign-in name. */
async function askedForIt(ctx: Ctx, unit: WorkUnitRow): Promise<boolean> {
  const [created] = await ctx.db.query({
    name: 'change-by-caller',
    text: "select 1 from audit where entity = 'workUnits' and entity_id = $1::text and verb = 'create' and actor_kind = 'person' and actor_id = $2",
    values: [unit.workUnitId, ctx.actor.id],
  });
  return created !== undefined;
}

/** Whether the change was created, or its plan edited, by a token that the caller created. */
async function wroteByToken(ctx: Ctx, unit: WorkUnitRow): Promise<boolean> {
  const authors = await ctx.db.query({
    name: 'plan-by-own-token',
    text: `select 1 from audit a join audit made on made.entity = 'tokens' and made.entity_id = a.actor_id and made.verb = 'create'
      where a.entity = 'workUnits' and a.entity_id = $1::text and a.actor_kind = 'token' and made.actor_kind = 'person' and made.actor_id = $2
        and (a.verb = 'create' or exists (select from unnest($3::text[]) f where a.before -> f is distinct from a.after -> f)) limit 1`,
    values: [unit.workUnitId, ctx.actor.id, planFields],
  });
  return authors.length > 0;
}

/** Throws if the caller created the change or last edited its plan, or if a token of theirs created it or edited its plan. */
async function requireOtherPerson(ctx: Ctx, unit: WorkUnitRow): Promise<void> {
  // The audit knows the caller also under a former sign-in name.
  const [last] = await ctx.db.query<{ created_by: string; by_caller: boolean }>({
    name: 'last-editor-of-plan',
    text: `select n.created_by, exists (select from audit a where a.entity = 'workUnits' and a.entity_id = n.work_unit_id::text and a.verb = 'update'
        and a.correlation_id = n.correlation_id and a.actor_kind = 'person' and a.actor_id = $3) as by_caller
      from work_unit_note n where n.work_unit_id = $1 and n.history_type = 'FieldChange' and n.field = any($2::text[])
      order by n.work_unit_note_id desc limit 1`,
    values: [unit.workUnitId, planFields, ctx.actor.id],
  });
  const isOwn = isCaller(ctx, unit.createdBy) || (last !== undefined && (last.by_caller || isCaller(ctx, last.created_by)));
  if (isOwn || (await askedForIt(ctx, unit)) || (await wroteByToken(ctx, unit)))
    throw forbidden('The person who requested this change or last edited its plan cannot approve it.');
}

async function requireNoFreeze(ctx: Ctx, unit: WorkUnitRow): Promise<void> {
  const refusal = await frozenBecause(ctx, unit);
  if (refusal !== undefined) throw new ApiError('Conflict', refusal);
}

async function requireDecider(ctx: Ctx, unit: WorkUnitRow, slot: ApprovalSlot): Promise<void> {
  requirePermission(ctx, 'WorkUnits', 'edit', unit.tenantId);
  if (unit.workUnitTypeId !== workUnitType.changeRequest)
    throw validationFailed([{ target: 'workUnitTypeId', message: 'Only a Change Request can be approved or declined.' }]);
  const approver = slot === 1 ? unit.approver1 : unit.approver2;
  const { person_id, named_by, other_id } = await slotOf(ctx, unit.workUnitId, slot);
  const isApprover = person_id === null ? isCaller(ctx, approver) : ctx.actor.kind === 'person' && person_id === ctx.actor.id;
  if (!isApprover) throw forbidden(`Authenticated user does not match ${approver ?? `approver ${slot}`}`);
  if (named_by !== null && named_by === ctx.actor.id)
    throw forbidden('You named yourself as approver, so you cannot decide; somebody else has to name you.');
  const other = slot === 1 ? unit.approver2 : unit.approver1;
  const otherDecided = slot === 1 ? (unit.approved2By ?? unit.declined2By) : (unit.approved1By ?? unit.declined1By);
  if (otherDecided !== null && (other_id === ctx.actor.id || isCaller(ctx, other)))
    throw forbidden('You have decided as the other approver already; two different people have to decide.');
}

/** The times of the clocks of a unit that a decision cancels, as `fill` of a work unit sets them. */
async function timesOfCanceled(ctx: Ctx, unit: WorkUnitRow) {
  const change = { verb: 'update', before: unit, after: { ...unit, stateId: 'Canceled' }, changed: ['stateId'] } as const;
  return { ...unit, ...(await followUnit(ctx, change)) };
}

/**
 * Stores a decision. The condition of the update contains everything that the decision depends on, so that one of two
 * simultaneous decisions is refused, also across servers.
 */
function decide(ctx: Ctx, workUnitId: number, slot: ApprovalSlot, approve: boolean, note: string | null): Promise<WorkUnitRow> {
  return inTransaction(ctx, async (ctx) => {
    const unit = await get(ctx, servedWorkUnits, workUnitId, { lock: 'edit' });
    await requireDecider(ctx, unit, slot);
    if (approve) {
      await requireOtherPerson(ctx, unit);
      await requireNoFreeze(ctx, unit);
    }
    const by = actorName(ctx);
    const [approver, approved, declined, notes] = [
      `approver${slot}`,
      `approved${slot}_by`,
      `declined${slot}_by`,
      `decision${slot}_notes`,
    ].map((name) => sql.ref(name));
    const times = approve ? unit : await timesOfCanceled(ctx, unit);
    const outcome = approve
      ? sql`${approved} = ${by}`
      : sql`${declined} = ${by}, state_id = 'Canceled', resolved = coalesce(resolved, now()), unanswered_since = null,
        clock_due = ${times.clockDue ?? null}, clock_warn = ${times.clockWarn ?? null},
        level_warned = ${times.levelWarned ?? null}, level_breached = ${times.levelBreached ?? null}`;
    const write = sql`update work_unit set ${outcome}, ${notes} = ${note}, modified = now(), modified_by = ${by}, version = version + 1
      where work_unit_id = ${unit.workUnitId} and ${approver} is not distinct from ${slot === 1 ? unit.approver1 : unit.approver2} and ${approved} is null and ${declined} is null
        and work_unit_type_id = ${workUnitType.changeRequest} and state_id not in ('Resolved', 'Closed', 'Canceled') returning *`;
    const row = await writeRecorded(ctx, servedWorkUnits, 'update', write, unit);
    if (!row)
      throw new ApiError(
        'Conflict',
        isEnded(unit.stateId) ? 'This Change Request is no longer open.' : 'This approval has been decided already.',
      );
    await wakeFor(ctx, servedWorkUnits, unit);
    await writeHistory(ctx, unit, [
      {
        historyType: 'WorkUnitEvent',
        detail: `${decisionEvent(approve, slot)}${by}${note ? `: ${note}` : '.'}`.slice(0, 4_000),
      },
    ]);
    const changed = changedFields(servedWorkUnits.resource, unit, row);
    await servedWorkUnits.after?.(ctx, { verb: 'update', before: unit, after: row, changed });
    return row;
  });
}

/** Whether this sign-in name, which may have changed since, names the caller as an approver of some change. */
async function isNamedBy(ctx: Ctx, approver: string): Promise<boolean> {
  const [named] = await ctx.db.query({
    name: 'approver-by-former-name',
    text: `select 1 from work_unit where (approver1 = $1 and approver1_id = $2) or (approver2 = $1 and approver2_id = $2) limit 1`,
    values: [approver.trim().toLowerCase(), ctx.actor.id],
  });
  return named !== undefined;
}

/** Returns why the caller may not decide, as the decision itself would say; null if they may. */
async function refusalOf(required: () => Promise<void>): Promise<string | null> {
  try {
    await required();
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

async function refusalsOf(ctx: Ctx, workUnitId: number, slot: ApprovalSlot) {
  const unit = await get(ctx, servedWorkUnits, workUnitId);
  const decline = await refusalOf(() => requireDecider(ctx, unit, slot));
  const approve = decline ?? (await refusalOf(() => requireOtherPerson(ctx, unit))) ?? (await refusalOf(() => requireNoFreeze(ctx, unit)));
  return { decline, approve };
}

const lookup = implement(approvalLookup, async (ctx, { approverId, workUnitId, slot }) => ({
  approverId,
  isApprover: isCaller(ctx, approverId) || (ctx.actor.kind === 'person' && approverId !== '' && (await isNamedBy(ctx, approverId))),
  ...(workUnitId !== undefined && slot !== undefined ? { refusals: await refusalsOf(ctx, workUnitId, slot) } : {}),
}));

/** Overrides the missing approvals of a change in an emergency, so that it can start; its history says by whom and why. */
const override = implement(overrideApproval, (outside, { workUnitId, reason }) =>
  inTransaction(outside, async (ctx) => {
    const unit = await get(ctx, servedWorkUnits, workUnitId, { lock: 'edit' });
    requirePermission(ctx, 'WorkUnits', 'edit', unit.tenantId);
    if (!may(ctx, overrideApprovalPermission, unit.tenantId))
      throw forbidden(`You do not have the permission ${overrideApprovalPermission}.`);
    if (unit.workUnitTypeId !== workUnitType.changeRequest)
      throw validationFailed([{ target: 'workUnitTypeId', message: 'Only a Change Request needs approval.' }]);
    if (isEnded(unit.stateId)) throw new ApiError('Conflict', 'This Change Request is no longer open.');
    const needsNone = isApproved(unit) && (unit.approvalOverriddenBy !== null || (await frozenBecause(ctx, unit, true)) === undefined);
    if (needsNone) throw new ApiError('Conflict', 'This Change Request needs no further approval.');
    const by = actorName(ctx);
    const write = sql`update work_unit set approval_overridden_by = ${by}, modified = now(), modified_by = ${by}, version = version + 1
      where work_unit_id = ${unit.workUnitId} returning *`;
    const row = await writeRecorded(ctx, servedWorkUnits, 'update', write, unit);
    if (!row) throw notFound('Work Unit');
    await wakeFor(ctx, servedWorkUnits, unit);
    await recordAudit(ctx.db, {
      actor: { ...ctx.actor, name: by },
      verb: 'override',
      entity: 'workUnits',
      entityId: String(unit.workUnitId),
      tenantId: unit.tenantId,
      after: { reason: reason.trim() },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
    await writeHistory(ctx, unit, [
      { historyType: 'WorkUnitEvent', detail: `Approval overridden by ${by}: ${reason.trim()}`.slice(0, 4_000) },
    ]);
    const changed = changedFields(servedWorkUnits.resource, unit, row);
    await servedWorkUnits.after?.(ctx, { verb: 'update', before: unit, after: row, changed });
    return row;
  }),
);

const approve = implement(approveChange, (ctx, { workUnitId, slot, decisionNote }) =>
  decide(ctx, workUnitId, slot, true, decisionNote?.trim() || null),
);

const decline = implement(declineChange, (ctx, { workUnitId, slot, decisionNote }) =>
  decide(ctx, workUnitId, slot, false, decisionNote.trim()),
);

/** Skips all checks, because the plan is still empty: the next save requires it. */
const withoutPlan = { ...servedWorkUnits, check: () => [] };

const migrate = implement(changeToChangeRequest, (ctx, { workUnitId }) =>
  update(ctx, withoutPlan, workUnitId, (unit) => {
    const typeError = (message: string): ApiError => validationFailed([{ target: 'workUnitTypeId', message }]);
    if (unit.workUnitTypeId === workUnitType.changeRequest) throw typeError('Work Unit is already a Change Request.');
    if (unit.workUnitTypeId !== workUnitType.incident) throw typeError('Only an Incident can become a Change Request.');
    return { workUnitTypeId: workUnitType.changeRequest };
  }),
);

export const approvalActions: readonly ImplementedAction[] = [lookup, approve, decline, override, migrate];
