/** The rows that belong to a work unit move with it to another tenant, so that only people who see the unit see these rows. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { actionTries } from '@cloudfit/contract/resources/action-tries.ts';
import { callBacks } from '@cloudfit/contract/resources/call-backs.ts';
import { inboxItems } from '@cloudfit/contract/resources/inbox-items.ts';
import { notifications } from '@cloudfit/contract/resources/notifications.ts';
import { plannedSteps } from '@cloudfit/contract/resources/protocol-actions.ts';
import { workUnitClocks } from '@cloudfit/contract/resources/service-levels.ts';
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import { workUnitRelations } from '@cloudfit/contract/resources/work-unit-relations.ts';
import type { Ctx } from '../../context/ctx.ts';
import { movedAlong } from '../../db/changed.ts';
import type { WorkUnitRow } from './state.rules.ts';

const served = [
  movedAlong(workUnitNotes, 'work_unit_note', 'work_unit_id'),
  movedAlong(workUnitRelations, 'work_unit_relation', 'work_unit_id'),
  movedAlong(inboxItems, 'inbox_item', 'work_unit_id'),
  movedAlong(callBacks, 'call_back', 'work_unit_id'),
  movedAlong(workUnitClocks, 'work_unit_clock', 'work_unit_id'),
  movedAlong(actionHistories, 'action_history', 'work_unit_id'),
  movedAlong(actionTries, 'action_try', 'work_unit_id'),
  movedAlong(notifications, 'notification', 'work_unit_id'),
  movedAlong(plannedSteps, 'planned_step', 'work_unit_id'),
];
const others = [
  'work_unit_timer',
  'unit_watch',
  'work_unit_presence',
  'answer_watch',
  'protocol_run',
  'work_unit_watcher',
  'work_unit_seen',
  'work_unit_file',
] as const;

/**
 * Moves the rows of the unit to the unit's tenant; refused while it is merged, because that tenant would read the other unit's notes. The audit of the unit names both tenants; these rows get no audit entries.
 */
export async function moveAlong(ctx: Ctx, { workUnitId, tenantId }: WorkUnitRow): Promise<void> {
  const merges = await ctx.db.query({ text: 'select 1 from work_unit_merge where $1 in (work_unit_id, into_id)', values: [workUnitId] });
  if (merges.length > 0)
    throw new ApiError('Conflict', 'A merged work unit stays with its customer. Take it apart first.', { target: 'tenantId' });
  for (const text of served) await ctx.db.query({ text, values: [workUnitId, tenantId, ctx.correlationId] });
  for (const table of others)
    await ctx.db.query({ text: `update ${table} set tenant_id = $2 where work_unit_id = $1`, values: [workUnitId, tenantId] });
}
