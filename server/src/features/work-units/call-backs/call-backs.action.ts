/** People take call backs, and say how they ended. */
import { callBackCount, closeCallBack, takeCallBack } from '@cloudfit/contract/actions/work-units/call-backs.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import type { CallBackOutcome, callBacks } from '@cloudfit/contract/resources/call-backs.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { actorName, inTransaction, type Ctx } from '../../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { create } from '../../../resources/create.ts';
import { list } from '../../../resources/list.ts';
import { setFields } from '../../../resources/update.ts';
import { writeHistory } from '../feed/history.ts';
import { actingIn } from '../resolution-center/acting.ts';
import { followAnswer } from '../service-levels/unit-clocks.ts';
import { servedWorkUnitNotes } from '../work-units.served.ts';
import { servedCallBacks } from './call-backs.served.ts';
import { requestCallBack } from './request.ts';

type CallBackRow = Row<typeof callBacks>;

const count = implement(callBackCount, async (ctx) => {
  // Through the list, so that the number is that of the call backs that the caller sees.
  const { count, value } = await list(ctx, servedCallBacks, '$filter=closedAt eq null&$orderby=due&$top=1&$count=true', {
    select: ['due'],
  });
  return { open: count ?? 0, due: value[0]?.due ?? null };
});

function requireOpen({ closedAt, closedBy }: CallBackRow): void {
  if (closedAt !== null) throw new ApiError('Conflict', `${closedBy} has closed this call back already.`);
}

const take = implement(takeCallBack, (outside, { id }) =>
  inTransaction(outside, async (ctx) => {
    const by = actorName(ctx);
    const change = { isNew: false };
    const row = await setFields(ctx, servedCallBacks, id, (before) => {
      requireOpen(before);
      if (before.takenBy !== null && before.takenBy !== by)
        throw new ApiError('Conflict', `${before.takenBy} has taken this call back already.`, { target: 'takenBy' });
      change.isNew = before.takenBy === null;
      return change.isNew ? { takenBy: by, takenAt: ctx.now().toISOString() } : {};
    });
    if (change.isNew)
      await writeHistory(ctx, row, [{ historyType: 'WorkUnitEvent', detail: 'Takes the call back that the customer asked for.' }]);
    return row;
  }),
);

const outcomes: Readonly<Record<CallBackOutcome, (phone: string) => string>> = {
  Reached: (phone) => `Called the customer back${phone}.`,
  NotReached: (phone) => `We called you back${phone} and did not reach you. We will call again.`,
  NotNeeded: () => 'The call back is not needed any more.',
};

/** Writes the outcome as a note. What was said stays inside; the customer reads only that we have tried. */
async function noteOutcome(ctx: Ctx, { workUnitId, phone }: CallBackRow, outcome: CallBackOutcome, note: string): Promise<void> {
  const words = outcomes[outcome](phone === null ? '' : ` at ${phone}`);
  const isExternalNote = outcome === 'NotReached';
  const details = isExternalNote && note !== '' ? [words, note] : [note === '' ? words : `${words}\n\n${note}`];
  for (const [index, detail] of details.entries())
    await create(ctx, servedWorkUnitNotes, { workUnitId, detail, isExternalNote: isExternalNote && index === 0 });
}

const close = implement(closeCallBack, (outside, { id, outcome, note }) =>
  inTransaction(outside, async (ctx) => {
    const by = actorName(ctx);
    const at = ctx.now().toISOString();
    const row = await setFields(ctx, servedCallBacks, id, (before) => {
      requireOpen(before);
      const byCloser = before.takenBy === null ? { takenBy: by, takenAt: at } : {};
      return { ...byCloser, closedBy: by, closedAt: at, outcome };
    });
    const { tenantId, workUnitId, phone, requestedBy } = row;
    const writer = actingIn(ctx, tenantId, permission('WorkUnits', 'create'), permission('WorkUnits', 'view'));
    await noteOutcome(writer, row, outcome, note);
    // Whoever was reached has had an answer.
    if (outcome === 'Reached') await followAnswer(ctx, [workUnitId], by);
    if (outcome === 'NotReached') await requestCallBack(writer, { tenantId, workUnitId, phone, requestedBy, tellsAtOnce: false });
    return row;
  }),
);

export const callBackActions: readonly ImplementedAction[] = [count, take, close];
