/** How the snoozing of a work unit ends when somebody else, a rule or a clock does something to it. */
import { inboxItems } from '@cloudfit/contract/resources/inbox-items.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import type { FieldName } from '@cloudfit/contract/resource.ts';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { actorName, inTransaction, type Ctx } from '../../../context/ctx.ts';
import { changed } from '../../../db/changed.ts';
import { get } from '../../../resources/get.ts';
import type { RowChange, Served } from '../../../resources/served.ts';
import { applyChange } from '../../../resources/update.ts';
import { isEnded, type WorkUnitRow } from '../state.rules.ts';

/** The fields of a unit that is not snoozed. */
export const awake = { snoozedUntil: null, snoozedBy: null } as const;

/** Fields of a change that does nothing but snooze or wake. */
export const snoozeFields: ReadonlySet<FieldName<typeof workUnits>> = new Set(['snoozedUntil', 'snoozedBy', 'modifiedBy']);

/** What a change sets so that the unit wakes: nothing for a change that the person makes who has snoozed it, unless it ends the unit. */
export function waking(ctx: Ctx, { before, after }: RowChange<WorkUnitRow>): Partial<WorkUnitRow> {
  if (!before?.snoozedUntil) return {};
  return before.snoozedBy === actorName(ctx) && !isEnded(after.stateId) ? {} : awake;
}

const itemsBack = `with woken as (
  update inbox_item set due = $3::timestamptz where work_unit_id = $1 and due = $2::timestamptz and due > $3::timestamptz
  returning tenant_id, inbox_item_id
), told as (${changed(inboxItems, 'update', 'woken', '$4')})
select 1 from woken`;

/** Brings back the items of inboxes that were snoozed with a unit. */
export async function bringBack(ctx: Ctx, { before, after, changed: fields }: RowChange<WorkUnitRow>): Promise<void> {
  if (!before?.snoozedUntil || !fields.includes('snoozedUntil')) return;
  await ctx.db.query({ text: itemsBack, values: [after.workUnitId, before.snoozedUntil, ctx.now().toISOString(), ctx.correlationId] });
}

/** Wakes a unit; call it in a transaction. Nothing happens to one that is awake. */
export async function wake(ctx: Ctx, served: Served<typeof workUnits>, workUnitId: number): Promise<void> {
  const before = await get(ctx, served, workUnitId, { lock: 'edit' });
  if (before.snoozedUntil === null) return;
  await applyChange(ctx, served, {
    verb: 'update',
    before,
    after: { ...before, ...awake, modifiedBy: actorName(ctx) },
    changed: [...snoozeFields],
  });
}

/** Wakes the unit to which something was added, such as a note, unless it was added by the person who has snoozed the unit. */
export async function wakeFor(
  ctx: Ctx,
  served: Served<typeof workUnits>,
  { workUnitId, tenantId }: { workUnitId: number; tenantId: string },
): Promise<void> {
  const [snoozed] = await ctx.db.query({
    name: 'snoozed-unit',
    text: 'select 1 from work_unit where work_unit_id = $1 and snoozed_until is not null and snoozed_by is distinct from $2',
    values: [workUnitId, actorName(ctx)],
  });
  // A customer may have added it, though they may not see the unit.
  const permissions = new Map([[tenantId, new Set([permission('WorkUnits', 'view'), permission('WorkUnits', 'edit')])]]);
  if (snoozed) await inTransaction({ ...ctx, permissions }, (inner) => wake(inner, served, workUnitId));
}
