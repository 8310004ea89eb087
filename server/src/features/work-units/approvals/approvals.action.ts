/** Approvers decide a change request: each their own slot, once, never on their own work (security, section 7). */
import { sql } from 'kysely';
import { approvalLookup, approveChange, changeToChangeRequest, declineChange } from '@cloudfit/contract/actions/approvals.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { ApiError, forbidden, validationFailed } from '@cloudfit/contract/errors.ts';
import { actorName, inTransaction, requirePermission, type Ctx } from '../../../context/ctx.ts';
import { implement, type Implemented } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import { writeRecorded } from '../../../resources/record.ts';
import { changedFields, update } from '../../../resources/update.ts';
import { writeHistory } from '../feed/history.ts';
import { isEnded, planFields, type WorkUnitRow } from '../state.rules.ts';
import { servedWorkUnits } from '../work-units.served.ts';

type ApprovalSlot = 1 | 2;

/** People are compared by the email they sign in with. */
function isCaller(ctx: Ctx, approver: string | null): boolean {
  return ctx.actor.kind === 'person' && approver !== null && approver.trim().toLowerCase() === ctx.actor.userName.toLowerCase();
}

/** Did the caller ask for the change, or write its plan, through a token of their own making? */
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

/** Who asked for the change, or wrote its plan last, does not approve it; nor does who let a token of theirs do so. */
async function requireOtherPerson(ctx: Ctx, unit: WorkUnitRow): Promise<void> {
  const [last] = await ctx.db.query<{ created_by: string }>({
    name: 'last-editor-of-plan',
    text: `select created_by from work_unit_note where work_unit_id = $1 and history_type = 'FieldChange' and field = any($2::text[])
      order by work_unit_note_id desc limit 1`,
    values: [unit.workUnitId, planFields],
  });
  if (isCaller(ctx, unit.createdBy) || (last && isCaller(ctx, last.created_by)) || (await wroteByToken(ctx, unit)))
    throw forbidden('Who requested this change or edited its plan last cannot approve it.');
}

async function requireDecider(ctx: Ctx, unit: WorkUnitRow, slot: ApprovalSlot): Promise<void> {
  requirePermission(ctx, 'WorkUnits', 'edit', unit.tenantId);
  if (unit.workUnitTypeId !== workUnitType.changeRequest)
    throw validationFailed([{ target: 'workUnitTypeId', message: 'Only a Change Request is approved or declined.' }]);
  const approver = slot === 1 ? unit.approver1 : unit.approver2;
  if (!isCaller(ctx, approver)) throw forbidden(`Authenticated user does not match ${approver ?? `approver ${slot}`}`);
}

/**
 * The update itself asks for everything that makes the decision right, so that of two at once one is refused whatever
 * the number of servers.
 */
function decide(ctx: Ctx, workUnitId: number, slot: ApprovalSlot, approve: boolean, note: string | null): Promise<WorkUnitRow> {
  return inTransaction(ctx, async (ctx) => {
    const unit = await get(ctx, servedWorkUnits, workUnitId, { lock: 'edit' });
    await requireDecider(ctx, unit, slot);
    if (approve) await requireOtherPerson(ctx, unit);
    const by = actorName(ctx);
    const [approver, approved, declined, notes] = [
      `approver${slot}`,
      `approved${slot}_by`,
      `declined${slot}_by`,
      `decision${slot}_notes`,
    ].map((name) => sql.ref(name));
    const outcome = approve
      ? sql`${approved} = ${by}`
      : sql`${declined} = ${by}, state_id = 'Canceled', resolved = coalesce(resolved, now())`;
    const write = sql`update work_unit set ${outcome}, ${notes} = ${note}, modified = now(), modified_by = ${by}, version = version + 1
      where work_unit_id = ${unit.workUnitId} and lower(trim(${approver})) = lower(${by}) and ${approved} is null and ${declined} is null
        and work_unit_type_id = ${workUnitType.changeRequest} and state_id not in ('Resolved', 'Closed', 'Canceled') returning *`;
    const row = await writeRecorded(ctx, servedWorkUnits, 'update', write, unit);
    if (!row)
      throw new ApiError(
        'Conflict',
        isEnded(unit.stateId) ? 'This Change Request is no longer open.' : 'This approval has been decided already.',
      );
    const verb = approve ? 'approved' : 'declined';
    await writeHistory(ctx, unit, [
      {
        historyType: 'WorkUnitEvent',
        detail: `Change Request ${verb} by approver ${slot}, ${by}${note ? `: ${note}` : '.'}`.slice(0, 4_000),
      },
    ]);
    const changed = changedFields(servedWorkUnits.resource, unit, row);
    await servedWorkUnits.after?.(ctx, { verb: 'update', before: unit, after: row, changed });
    return row;
  });
}

const lookup = implement(approvalLookup, (ctx, { approverId }) => ({ approverId, isApprover: isCaller(ctx, approverId) }));

const approve = implement(approveChange, (ctx, { workUnitId, slot, decisionNote }) =>
  decide(ctx, workUnitId, slot, true, decisionNote?.trim() || null),
);

const decline = implement(declineChange, (ctx, { workUnitId, slot, decisionNote }) =>
  decide(ctx, workUnitId, slot, false, decisionNote.trim()),
);

/** Its plan is not there yet: the next save asks for it. */
const withoutPlan = { ...servedWorkUnits, check: () => [] };

const migrate = implement(changeToChangeRequest, (ctx, { workUnitId }) =>
  update(ctx, withoutPlan, workUnitId, (unit) => {
    const wrong = (message: string): ApiError => validationFailed([{ target: 'workUnitTypeId', message }]);
    if (unit.workUnitTypeId === workUnitType.changeRequest) throw wrong('Work Unit is already a Change Request.');
    if (unit.workUnitTypeId !== workUnitType.incident) throw wrong('Only an Incident can become a Change Request.');
    return { workUnitTypeId: workUnitType.changeRequest };
  }),
);

export const approvalActions: readonly Implemented[] = [lookup, approve, decline, migrate];
