/** Snoozes work units, or ends that. */
import { maxSnoozeDays, snoozeWorkUnits } from '@cloudfit/contract/actions/work-units/snooze.ts';
import { dayMs } from '@cloudfit/contract/durations.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { inboxItems } from '@cloudfit/contract/resources/inbox-items.ts';
import { actorName, inTransaction } from '../../../context/ctx.ts';
import { changed } from '../../../db/changed.ts';
import { implement } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import { setFields } from '../../../resources/update.ts';
import { isEnded, type WorkUnitRow } from '../state.rules.ts';
import { servedWorkUnits } from '../work-units.served.ts';
import { awake } from './wake.ts';

/** Items that the person has read stay read, so they do not come back. */
const snoozeItems = `with snoozed as (
  update inbox_item set due = $3::timestamptz where person_id = $1 and work_unit_id = any($2::bigint[]) and read_at is null
  returning tenant_id, inbox_item_id
), told as (${changed(inboxItems, 'update', 'snoozed', '$4')})
select 1 from snoozed`;

export const snoozeWorkUnitsAction = implement(snoozeWorkUnits, (outside, { ids, until }) =>
  inTransaction(outside, async (ctx) => {
    const now = ctx.now().getTime();
    if (until !== null && (Date.parse(until) <= now || Date.parse(until) > now + maxSnoozeDays * dayMs))
      throw validationFailed([{ target: 'until', message: `Please choose a time in the next ${maxSnoozeDays} days.` }]);
    const edit = (unit: WorkUnitRow): Partial<WorkUnitRow> => {
      const modifiedBy = actorName(ctx);
      if (until === null) return unit.snoozedUntil === null ? {} : { ...awake, modifiedBy };
      if (!isEnded(unit.stateId)) return { snoozedUntil: new Date(until).toISOString(), snoozedBy: modifiedBy, modifiedBy };
      throw new ApiError('Conflict', `Work unit #${unit.publicWorkUnitId} is ${unit.stateId} already.`, { target: 'ids' });
    };
    // In one order, so that two calls do not wait for each other.
    for (const id of ids.toSorted((a, b) => a - b)) await setFields(ctx, servedWorkUnits, id, edit);
    if (ctx.actor.kind === 'person' && until !== null)
      await ctx.db.query({ text: snoozeItems, values: [ctx.actor.id, ids, until, ctx.correlationId] });
    const value: WorkUnitRow[] = [];
    for (const id of ids) value.push(await get(ctx, servedWorkUnits, id));
    return { value };
  }),
);
