/** What people do with their own requests. */
import { sql } from '../../../db/sql.ts';
import {
  callMe,
  createRequest,
  externalNotesOf,
  giveFeedback,
  replyToRequest,
  resolutionCenterList,
} from '@cloudfit/contract/actions/resolution-center.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { ApiError, forbidden, notFound, tooManyRequests, validationFailed } from '@cloudfit/contract/errors.ts';
import { oneLine } from '@cloudfit/contract/one-line.ts';
import { permission, viewMine } from '@cloudfit/contract/permissions.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { resolutionCenterWorkUnits } from '@cloudfit/contract/resources/resolution-center-work-units.ts';
import { actorName, inTransaction, may, requirePermission, tenantScopeWith, type Ctx } from '../../../context/ctx.ts';
import { implement, implementList, type ImplementedAction } from '../../../resources/action.ts';
import { create } from '../../../resources/create.ts';
import { get } from '../../../resources/get.ts';
import { update } from '../../../resources/update.ts';
import { actingIn } from './acting.ts';
import { requestCallBack } from '../call-backs/request.ts';
import { internalAddress, queueInternalMail } from '../internal-mail.ts';
import { servedResolutionCenterWorkUnits } from './resolution-center.served.ts';
import { isEnded, type WorkUnitRow } from '../state.rules.ts';
import { noteOfCall, noteOfReply } from '../customer-notes.ts';
import { servedWorkUnits } from '../work-units.served.ts';

const mayCreate = permission('WorkUnits', 'create');
const mayEdit = permission('WorkUnits', 'edit');
const mayView = permission('WorkUnits', 'view');

type RequestRow = Row<typeof resolutionCenterWorkUnits>;

const mine = implementList(resolutionCenterList, () => sql<boolean>`true`);

/** Throws 404 unless the unit is the caller's own request, or of a tenant whose work units the caller may view. */
async function requireReadable(ctx: Ctx, workUnitId: number): Promise<void> {
  if (!may(ctx, mayView)) {
    await get(ctx, servedResolutionCenterWorkUnits, workUnitId);
    return;
  }
  await get(ctx, servedWorkUnits, workUnitId).catch(async (error: unknown) => {
    if (!may(ctx, viewMine)) throw error;
    await get(ctx, servedResolutionCenterWorkUnits, workUnitId);
  });
}

const notes = implementList(externalNotesOf, async (ctx, { workUnitId }, t) => {
  await requireReadable(ctx, workUnitId);
  return sql<boolean>`${sql.ref(`${t}.work_unit_id`)} = ${workUnitId}`;
});

/**
 * Returns the named tenant, otherwise the one last chosen in the portal, otherwise the only one. The caller must be allowed to
 * make requests in it.
 */
async function tenantOf(ctx: Ctx, requestedTenantId: string | null | undefined): Promise<string> {
  const scope = tenantScopeWith(ctx, [viewMine, mayCreate]);
  const [row] = await ctx.db.query<{ chosen: string | null }>({
    text: 'select context_tenant_id as chosen from person where person_id = $1',
    values: [ctx.actor.id],
  });
  const tenant = requestedTenantId ?? row?.chosen ?? (scope !== 'all' && scope.length === 1 ? scope[0] : undefined);
  if (!tenant) throw validationFailed([{ target: 'tenantId', message: 'Tenant is required.' }]);
  if (scope !== 'all' && !scope.includes(tenant)) throw validationFailed([{ target: 'tenantId', message: 'Tenant was not found.' }]);
  return tenant;
}

/** Returns the type of a category that the resolution center offers; without a category, the type Request. */
async function typeOf(ctx: Ctx, tenantId: string, categoryId: string | null | undefined): Promise<number> {
  if (!categoryId) return workUnitType.request;
  const [category] = await ctx.db.query<{ type: number }>({
    text: `select work_unit_type_id as type from work_unit_category
      where work_unit_category_id = $1 and tenant_id = $2 and is_enabled and is_visible_in_resolution_center`,
    values: [categoryId, tenantId],
  });
  if (!category) throw validationFailed([{ target: 'workUnitCategoryId', message: 'This service is not offered.' }]);
  return category.type;
}

const request = implement(createRequest, async (ctx, { tenantId: requestedTenantId, ...input }) => {
  if (ctx.actor.kind !== 'person') throw forbidden('Only people have requests of their own.');
  const tenantId = await tenantOf(ctx, requestedTenantId);
  const workUnitTypeId = await typeOf(ctx, tenantId, input.workUnitCategoryId);
  const unit = await create(actingIn(ctx, tenantId, mayCreate), servedWorkUnits, {
    ...input,
    tenantId,
    workUnitTypeId,
    severityId: 'Sev3',
    stakeHolderFullName: oneLine(ctx.actor.name),
    stakeHolderEmailAddress: ctx.actor.userName,
  });
  return get(actingIn(ctx, tenantId, viewMine), servedResolutionCenterWorkUnits, unit.workUnitId);
});

/** Returns the caller's own request, or a unit that the caller may edit: the permission to view a unit does not allow notes. */
async function requireCallable(
  ctx: Ctx,
  workUnitId: number,
): Promise<Pick<WorkUnitRow, 'tenantId' | 'publicWorkUnitId' | 'title' | 'stakeHolderPhoneNumber'>> {
  return get(ctx, servedResolutionCenterWorkUnits, workUnitId).catch(async (error: unknown) => {
    if (!may(ctx, mayView)) throw error;
    const unit = await get(ctx, servedWorkUnits, workUnitId);
    requirePermission(ctx, 'WorkUnits', 'edit', unit.tenantId);
    return unit;
  });
}

const called = 'Your call back request has been received. You should receive a call within the next 15 minutes.';
const calledWithoutMail =
  'Your call back request has been received, but nobody could be notified by mail. A call may take longer than 15 minutes.';

function call(ctx: Ctx, { workUnitId }: { workUnitId: number }, mailServerIsSet: boolean): Promise<{ message: string; notified: boolean }> {
  return inTransaction(ctx, async (ctx) => {
    const unit = await requireCallable(ctx, workUnitId);
    const tenantId = unit.tenantId;
    const phone = unit.stakeHolderPhoneNumber ? ` at ${unit.stakeHolderPhoneNumber}` : '';
    const detail = `${ctx.actor.name} asks to be called back${phone}.`;
    const writer = actingIn(ctx, tenantId, mayCreate);
    const { publicWorkUnitId: id, stakeHolderPhoneNumber } = unit;
    const callBack = { tenantId, workUnitId, phone: stakeHolderPhoneNumber, requestedBy: actorName(ctx), tellsAtOnce: true };
    // Who asks again while the call is awaited gets the same answer, and nobody is told twice.
    const isNew = await requestCallBack(writer, callBack);
    if (isNew) await create(writer, noteOfCall, { workUnitId, detail, isExternalNote: true });
    const addressed = isNew
      ? await queueInternalMail(ctx, tenantId, {
          write: ({ callBack: { requested, requestedText } }) => ({
            subject: requested(id),
            text: requestedText(ctx.actor.name, stakeHolderPhoneNumber, id, unit.title),
          }),
          linked: workUnitId,
        })
      : (await internalAddress(ctx, tenantId)) !== undefined;
    const notified = addressed && mailServerIsSet;
    return { message: notified ? called : calledWithoutMail, notified };
  });
}

/** How many notes a request may get from its customer in ten minutes. */
const maxReplies = 10;
const recently = `select count(*)::int as replies, ceil(extract(epoch from min(created) + interval '10 minutes' - now()))::int as seconds
from work_unit_note where work_unit_id = $1 and is_from_customer and created > now() - interval '10 minutes'`;

/**
 * Opens a resolved request again for its customer; nothing happens to one that is open. A request that was merged is as far as the unit
 * that stays, so `shown` says what the customer sees; that of the customer alone is opened.
 */
async function openAgain(ctx: Ctx, shown: RequestRow): Promise<void> {
  const { tenantId, workUnitId } = shown;
  await update(actingIn(ctx, tenantId, mayView, mayEdit), servedWorkUnits, workUnitId, ({ stateId, assignedTo }) => {
    if (!isEnded(stateId)) return {};
    if (stateId !== 'Resolved' && shown.stateId !== 'Resolved')
      throw new ApiError('Conflict', 'Only a resolved request can be opened again. Please create a new one.', { target: 'reopens' });
    return { stateId: assignedTo === null ? ('Acknowledged' as const) : ('InProgress' as const) };
  });
}

const replied = implement(replyToRequest, (outside, { workUnitId, text, reopens }) =>
  inTransaction(outside, async (ctx) => {
    const shown = await get(ctx, servedResolutionCenterWorkUnits, workUnitId);
    const { tenantId } = shown;
    const [row] = await ctx.db.query<{ replies: number; seconds: number }>({ text: recently, values: [workUnitId] });
    if (row && row.replies >= maxReplies)
      throw tooManyRequests(`At most ${maxReplies} messages in ten minutes. Please wait, or ask to be called.`, row.seconds);
    await create(actingIn(ctx, tenantId, mayCreate), noteOfReply, { workUnitId, detail: text, isExternalNote: true });
    if (reopens) await openAgain(ctx, shown);
    return get(ctx, servedResolutionCenterWorkUnits, workUnitId);
  }),
);

const withoutPlan = { ...servedWorkUnits, check: () => [] };

const feedback = implement(giveFeedback, async (ctx, { workUnitId, stakeHolderExperienceScore }) => {
  const ownRequest = await get(ctx, servedResolutionCenterWorkUnits, workUnitId);
  const { tenantId } = ownRequest;
  await update(actingIn(ctx, tenantId, mayView, mayEdit), withoutPlan, workUnitId, (unit) => {
    if (unit.tenantId !== tenantId) throw notFound('Request');
    if (!isEnded(unit.stateId))
      throw validationFailed([{ target: 'stakeHolderExperienceScore', message: 'Feedback can be given when the request is done.' }]);
    return { stakeHolderExperienceScore };
  });
  return get(ctx, servedResolutionCenterWorkUnits, workUnitId);
});

/** Without `mailServerIsSet`, no call back is promised, because the mail about it waits. */
export function resolutionCenterActions({ mailServerIsSet }: { mailServerIsSet: boolean }): readonly ImplementedAction[] {
  return [mine, notes, request, replied, implement(callMe, (ctx, input) => call(ctx, input, mailServerIsSet)), feedback];
}
