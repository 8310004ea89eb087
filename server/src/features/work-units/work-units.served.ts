import { sql } from '../../db/sql.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { workUnitTypes } from '@cloudfit/contract/resources/work-unit-types.ts';
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { actorName, type Ctx } from '../../context/ctx.ts';
import { serve, type FieldError, type RowChange } from '../../resources/served.ts';
import { assigneeByName, assigneeFaults } from './assignee.ts';
import { approvalFaults, askAgain, clearedApprovals, keepApprovers } from './approvals/approvers.ts';
import { categoryFaults } from './categories/categories.rules.ts';
import { customValueFaults } from './categories/custom-values.rules.ts';
import { changePlanFaults, keepChangeWindow } from './change-window.ts';
import { eventAlong, fieldChanges, namesOf, writeHistory } from './feed/history.ts';
import { tellOfChange, tellOfNote } from './inbox/news.ts';
import { approvers, isEnded, spamCall, workUnitFaults, type WorkUnitRow } from './state.rules.ts';
import { watchLiveMatches } from './live-matches.ts';
import { answerByMail } from './mail/answer-by-mail.ts';
import { moveAlong } from './move.ts';
import { followAnswer, followUnit, keepClocks, newClocksAlong } from './service-levels/unit-clocks.ts';
import { bringBack, snoozeFields, wakeFor, waking } from './snooze/wake.ts';
import { keepTimer } from './timer.ts';
import { newUnitAlong, queueWorkUnitEvent } from './work-unit-event.ts';

/** `isOver`: whether what reported the unit says that it is over, so that nobody need have acknowledged it. */
async function faultsOf(ctx: Ctx, change: RowChange<WorkUnitRow>, isOver: boolean): Promise<FieldError[]> {
  const { before, after, changed } = change;
  return [
    ...workUnitFaults(before, after, changed, isOver),
    ...(await assigneeFaults(ctx.db, change)),
    ...(await approvalFaults(ctx, change)),
    ...(await categoryFaults(ctx, after, changed)),
    ...(await changePlanFaults(ctx, change)),
    ...(await customValueFaults(ctx, after, changed)),
  ];
}

export const servedWorkUnits = serve(workUnits, 'work_unit', {
  fill: async (ctx, change) => {
    const { verb, before, after, changed } = change;
    const now = ctx.now().toISOString();
    const by = actorName(ctx);
    const set = {
      ...(verb === 'create' ? spamCall(after) : {}),
      ...approvers(before, after, changed),
      ...(await assigneeByName(ctx.db, change)),
      ...(await clearedApprovals(ctx, change)),
    };
    const stateId = set.stateId ?? after.stateId;
    const ended = changed.includes('stateId')
      ? { resolved: isEnded(stateId) ? (before?.resolved ?? now) : null, unansweredSince: null }
      : {};
    // What a unit on hold waited for ends with that state; a reason that is sent with another state is refused.
    const isStale = after.holdReason !== null && stateId !== 'OnHold' && !changed.includes('holdReason');
    const level = await followUnit(ctx, { ...change, after: { ...after, ...set } });
    return {
      ...(verb === 'create' ? { createdBy: by } : {}),
      modifiedBy: by,
      ...set,
      ...ended,
      ...(isStale ? { holdReason: null } : {}),
      ...level,
      ...waking(ctx, { ...change, after: { ...after, ...set } }),
    };
  },
  check: (ctx, change) => faultsOf(ctx, change, ctx.actor.kind === 'system'),
  along: async (ctx, change) =>
    change.verb === 'create'
      ? [
          eventAlong(ctx, sql`entity_id::bigint`, 'Work unit created.'),
          await newUnitAlong(ctx, change),
          ...(await newClocksAlong(ctx, change)),
        ]
      : [],
  needsAfter: ({ verb, after }) =>
    verb !== 'create' ||
    after.workUnitTypeId === workUnitType.changeRequest ||
    Boolean(after.approver1 ?? after.approver2 ?? after.protocolId ?? after.assignedTo ?? after.assignmentGroup),
  after: async (ctx, change) => {
    if (change.verb === 'update' && change.changed.includes('tenantId')) await moveAlong(ctx, change.after);
    await bringBack(ctx, change);
    await keepApprovers(ctx, change);
    await askAgain(ctx, change);
    await keepClocks(ctx, change);
    const entries = change.verb === 'update' ? fieldChanges(change, await namesOf(ctx, change)) : [];
    await writeHistory(ctx, change.after, entries);
    await tellOfChange(ctx, change, entries);
    await keepTimer(ctx, change);
    await watchLiveMatches(ctx, change);
    await keepChangeWindow(ctx, change);
    if (change.verb === 'update' && !change.changed.every((name) => snoozeFields.has(name))) await queueWorkUnitEvent(ctx, change);
  },
});

/** Work units, for the systems that reported them. */
export const servedToReporters: typeof servedWorkUnits = { ...servedWorkUnits, check: (ctx, change) => faultsOf(ctx, change, true) };

export const servedWorkUnitTypes = serve(workUnitTypes, 'work_unit_type');

/** Callers who may edit a work unit may add notes to it; a note has its unit's tenant. */
export const servedWorkUnitNotes = serve(workUnitNotes, 'work_unit_note', {
  fill: async (ctx, { after }) => {
    const [unit] = await ctx.db.query<{ tenant_id: string }>({
      text: 'select tenant_id from work_unit where work_unit_id = $1',
      values: [after.workUnitId],
    });
    return { ...(unit ? { tenantId: unit.tenant_id } : {}), createdBy: actorName(ctx), correlationId: ctx.correlationId };
  },
  after: async (ctx, { after }) => {
    await tellOfNote(ctx, after);
    await wakeFor(ctx, servedWorkUnits, after);
    if (!after.isExternalNote) return;
    await followAnswer(ctx, [after.workUnitId], after.createdBy);
    await answerByMail(ctx, after);
  },
});
