/** The maintenance of an approved change: it follows the plan, and holds the matches that the change expects. */
import { sql } from '../../db/sql.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { maintenanceWindows } from '@cloudfit/contract/resources/maintenance-windows.ts';
import { actorName, type Ctx } from '../../context/ctx.ts';
import { notify } from '../../db/notify.ts';
import { writeRecorded } from '../../resources/record.ts';
import { servedOf, type FieldError, type RowChange } from '../../resources/served.ts';
import { changesNeedApproval } from './approvals/approvers.ts';
import { isApproved, isEnded, type WorkUnitRow } from './state.rules.ts';

const followedFields: readonly (keyof WorkUnitRow & string)[] = [
  'title',
  'tenantId',
  'workUnitTypeId',
  'stateId',
  'plannedStartTime',
  'plannedFinishTime',
  'affectedDevices',
  'expectedRules',
  'expectsSilence',
  'approved1By',
  'approved2By',
  'isApproverRequired',
  'approvalOverriddenBy',
];

async function isInForce(ctx: Ctx, unit: WorkUnitRow): Promise<boolean> {
  if (unit.workUnitTypeId !== workUnitType.changeRequest || isEnded(unit.stateId) || unit.affectedDevices.length === 0) return false;
  if (!unit.plannedStartTime || !unit.plannedFinishTime) return false;
  return isApproved(unit) || !(await changesNeedApproval(ctx, unit.tenantId));
}

interface StoredWindow {
  maintenanceWindowId: string;
  tenantId: string;
  startsAt: string;
  endsAt: string;
}

async function storedWindow(ctx: Ctx, workUnitId: number): Promise<StoredWindow | undefined> {
  const [stored] = await ctx.db.query<StoredWindow>({
    name: 'change-window',
    text: `select maintenance_window_id as "maintenanceWindowId", tenant_id as "tenantId", starts_at as "startsAt", ends_at as "endsAt" from maintenance_window
where work_unit_id = $1 and is_change for update`,
    values: [workUnitId],
  });
  return stored;
}

/**
 * Creates, updates or ends the maintenance of a change in the transaction of the write. If a person ended the maintenance
 * early, it stays ended until one of the `followed` fields changes.
 */
export async function keepChangeWindow(ctx: Ctx, { after, changed, verb }: RowChange<WorkUnitRow>): Promise<void> {
  if (verb === 'delete' || !followedFields.some((name) => changed.includes(name))) return;
  const stored = verb === 'create' ? undefined : await storedWindow(ctx, after.workUnitId);
  const holds = await isInForce(ctx, after);
  if (!holds && !stored) return;
  const by = actorName(ctx);
  const now = ctx.now().toISOString();
  const served = servedOf(maintenanceWindows);
  if (!holds) {
    if (!stored || stored.endsAt <= now) return;
    const end = sql`update maintenance_window set starts_at = least(starts_at, ${now}::timestamptz), ends_at = ${now}::timestamptz, modified = now(),
      modified_by = ${by}, version = version + 1 where maintenance_window_id = ${stored.maintenanceWindowId} returning *`;
    await writeRecorded(ctx, served, 'update', end, stored);
  } else {
    const save = sql`insert into maintenance_window (tenant_id, reason, starts_at, ends_at, device_ids, work_unit_id, is_change, rule_ids, holds_silence, created_by, modified_by)
      values (${after.tenantId}, ${after.title}, ${after.plannedStartTime}, ${after.plannedFinishTime}, ${JSON.stringify(after.affectedDevices)}::jsonb, ${after.workUnitId}, true,
        ${JSON.stringify(after.expectedRules)}::jsonb, ${after.expectsSilence}, ${by}, ${by})
      on conflict (work_unit_id) where is_change do update set tenant_id = excluded.tenant_id, reason = excluded.reason, starts_at = excluded.starts_at,
        ends_at = excluded.ends_at, device_ids = excluded.device_ids, rule_ids = excluded.rule_ids, holds_silence = excluded.holds_silence, modified = now(),
        modified_by = excluded.modified_by, version = maintenance_window.version + 1 returning *`;
    await writeRecorded(ctx, served, stored ? 'update' : 'create', save, stored ?? null);
  }
  await notify(ctx.db, 'maintenance');
}

/** Returns errors for devices and rules of the plan that are not rows of the change's tenant. */
export async function changePlanFaults(ctx: Ctx, { after, changed }: RowChange<WorkUnitRow>): Promise<FieldError[]> {
  const isMoved = changed.includes('tenantId');
  const errors: FieldError[] = [];
  if (after.affectedDevices?.length > 0 && (isMoved || changed.includes('affectedDevices'))) {
    const rows = await ctx.db.query<{ device_id: string }>({
      name: 'change-devices',
      text: 'select device_id from device where device_id = any($1::uuid[]) and tenant_id = $2 and not is_deleted',
      values: [after.affectedDevices, after.tenantId],
    });
    const existing = new Set(rows.map((row) => row.device_id));
    const missing = after.affectedDevices.filter((id) => !existing.has(id)).length;
    if (missing > 0)
      errors.push({
        target: 'affectedDevices',
        message: missing === 1 ? 'One device was not found in this tenant.' : `${missing} devices were not found in this tenant.`,
      });
  }
  if (after.expectedRules?.length > 0 && (isMoved || changed.includes('expectedRules'))) {
    const rows = await ctx.db.query<{ rule_id: string }>({
      name: 'change-rules',
      text: 'select rule_id from rule where rule_id = any($1::uuid[]) and rule_is_for(tenant_id, tenant_group_id, $2)',
      values: [after.expectedRules, after.tenantId],
    });
    const existing = new Set(rows.map((row) => row.rule_id));
    // A rule that was deleted after it was added stays in the plan without effect.
    const missing = changed.includes('expectedRules') ? after.expectedRules.filter((id) => !existing.has(id)).length : 0;
    if (missing > 0)
      errors.push({
        target: 'expectedRules',
        message: missing === 1 ? 'One rule was not found in this tenant.' : `${missing} rules were not found in this tenant.`,
      });
  }
  return errors;
}
