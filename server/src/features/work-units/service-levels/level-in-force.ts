/** The service level that holds for a unit. */
import { levelFor } from '@cloudfit/contract/service-levels/choose-level.ts';
import type { LevelInForce } from '@cloudfit/contract/service-levels/clocks.ts';
import type { WorkingHours } from '@cloudfit/contract/service-levels/working-time.ts';
import type { Ctx } from '../../../context/ctx.ts';
import type { WorkUnitRow } from '../state.rules.ts';

type LeveledUnit = Pick<WorkUnitRow, 'tenantId' | 'workUnitCategoryId' | 'severityId' | 'workUnitTypeId'>;

type StoredLevel = Omit<LevelInForce, 'targetMinutes'> & {
  tenantId: string | null;
  workUnitCategoryId: string | null;
  severityId: WorkUnitRow['severityId'] | null;
  workUnitTypeId: number | null;
  acknowledge: number | null;
  firstAnswer: number | null;
  resolve: number | null;
  nextUpdate: number | null;
  calendar: WorkingHours | null;
};

const levelsOfTenant = `select l.service_level_id as "serviceLevelId", l.name as "levelName", l.tenant_id as "tenantId", l.work_unit_category_id as "workUnitCategoryId",
  l.severity_id as "severityId", l.work_unit_type_id as "workUnitTypeId", l.acknowledge_minutes as "acknowledge", l.first_answer_minutes as "firstAnswer",
  l.resolve_minutes as "resolve", l.next_update_minutes as "nextUpdate", l.warn_percent as "warnPercent", l.pauses_on_hold as "pausesOnHold",
  case when c.working_calendar_id is not null then jsonb_build_object('timeZone', c.time_zone, 'hours', c.hours, 'holidays', c.holidays) end as calendar
from service_level l left join working_calendar c using (working_calendar_id) where l.tenant_id = $1 or l.tenant_id is null`;

// A unit is created by one statement, which a read of the levels for each unit would double. So a level counts two seconds after its change
// at the latest; in the process that changed it usually at once.
const freshMs = 2_000;
const maxTenants = 1_000;
const cached = new Map<string, { readAt: number; levels: readonly StoredLevel[] }>();

/** Makes the next unit read the levels again: a hook of what they consist of. */
export function forgetLevels(): void {
  cached.clear();
}

async function levelsOf(ctx: Ctx, tenantId: string): Promise<readonly StoredLevel[]> {
  const before = cached.get(tenantId);
  if (before && performance.now() - before.readAt < freshMs) return before.levels;
  const readAt = performance.now();
  const levels = await ctx.db.query<StoredLevel>({ name: 'service-levels', text: levelsOfTenant, values: [tenantId] });
  if (cached.size >= maxTenants) cached.clear();
  cached.set(tenantId, { readAt, levels });
  return levels;
}

/** Returns the level that holds for the unit; null if none does. */
export async function levelOf(ctx: Ctx, unit: LeveledUnit): Promise<LevelInForce | null> {
  const levels = await levelsOf(ctx, unit.tenantId);
  const level = levelFor(levels, { ...unit, workUnitCategoryId: unit.workUnitCategoryId ?? null });
  if (!level) return null;
  const { serviceLevelId, levelName, warnPercent, pausesOnHold, calendar, acknowledge, firstAnswer, resolve, nextUpdate } = level;
  const targetMinutes = {
    ...(acknowledge === null ? {} : { Acknowledge: acknowledge }),
    ...(firstAnswer === null ? {} : { FirstAnswer: firstAnswer }),
    ...(resolve === null ? {} : { Resolve: resolve }),
    ...(nextUpdate === null ? {} : { NextUpdate: nextUpdate }),
  };
  return { serviceLevelId, levelName, warnPercent, pausesOnHold, calendar, targetMinutes };
}
