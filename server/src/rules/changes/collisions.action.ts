/** Lists the freezes in the time of a planned change, and other changes and maintenance that concern its devices then. */
import { validationFailed } from '@cloudfit/contract/errors.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { planCollisions, type PlanCollision } from '@cloudfit/contract/maintenance/calls.ts';
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { may, requirePermission, type Ctx } from '../../context/ctx.ts';
import { implement } from '../../resources/action.ts';
import type { CompiledRules } from '../run/compiled-rules.ts';
import { readEntities } from '../run/entities.ts';
import type { Entity } from '../run/entity.ts';
import { holdsAtAnyTime } from '../run/maintenance/maintenance.ts';

const namesShown = 5;
const listedMax = 50;
const stepMs = 15 * 60_000;
/** The maximum number of days that are compared with rules; the rest of a longer plan is not compared. */
const comparedDays = 31;

interface CollidingRow {
  kind: 'window' | 'change' | 'freeze';
  id: string;
  name: string;
  from: string;
  until: string;
  workUnitId: number | null;
  publicWorkUnitId: number | null;
  deviceIds: string[];
}

// Lists maintenance windows, also those of approved changes, and the plans of changes that have no window.
const overlapping = `select case when m.is_change then 'change' else 'window' end as kind, m.maintenance_window_id::text as id, m.reason as name, m.starts_at as "from",
  m.ends_at as "until", m.work_unit_id as "workUnitId", u.public_work_unit_id as "publicWorkUnitId",
  (select coalesce(jsonb_agg(d.device_id), '[]') from device d where d.device_id = any($2::uuid[]) and (m.device_ids ? d.device_id::text or d.location_id = m.location_id
    or exists (select from maintenance_window_device x where x.maintenance_window_id = m.maintenance_window_id and x.device_id = d.device_id)
    or exists (select from selection_member x where x.device_selection_id = m.device_selection_id and x.device_id = d.device_id and x.since < m.ends_at))) as "deviceIds"
from maintenance_window m left join work_unit u on u.work_unit_id = m.work_unit_id
where m.tenant_id = $1 and m.starts_at < $4 and m.ends_at > $3 and (m.work_unit_id is distinct from $5::bigint or not m.is_change)
union all
select 'change', w.work_unit_id::text, w.title, w.planned_start_time, w.planned_finish_time, w.work_unit_id, w.public_work_unit_id,
  (select coalesce(jsonb_agg(d.id), '[]') from unnest($2::text[]) as d (id) where w.affected_devices ? d.id)
from work_unit w
where w.tenant_id = $1 and w.work_unit_type_id = ${workUnitType.changeRequest} and w.state_id not in ('Resolved', 'Closed', 'Canceled')
  and w.planned_start_time < $4 and w.planned_finish_time > $3 and w.work_unit_id is distinct from $5::bigint
  and not exists (select from maintenance_window c where c.work_unit_id = w.work_unit_id and c.is_change)
union all
select 'freeze', f.change_freeze_id::text, f.name, f.starts_at, f.ends_at, null, null, '[]'
from change_freeze f where (f.tenant_id = $1 or f.tenant_id is null) and f.starts_at < $4 and f.ends_at > $3
order by 4`;

function holdsBetween({ inTimeWindow }: CompiledRule, from: number, until: number): boolean {
  if (!inTimeWindow) return true;
  const last = Math.min(until, from + comparedDays * 86_400_000);
  for (let at = from; at < last; at += stepMs) if (inTimeWindow(at)) return true;
  return inTimeWindow(last - 1);
}

async function ofRules(ctx: Ctx, rules: CompiledRules, tenantId: string, devices: readonly Entity[], from: number, until: number) {
  if (!may(ctx, 'CloudFit.CFS.Rules:view', tenantId)) return [];
  return [...rules.maintenance().ofTenant(tenantId)].flatMap((rule): PlanCollision[] => {
    if (!holdsBetween(rule, from, until)) return [];
    const names = devices.filter((device) => holdsAtAnyTime(rule, device, from)).map(({ name }) => name);
    if (names.length === 0) return [];
    return [
      {
        kind: 'rule',
        id: rule.ruleId,
        name: rule.rule.name,
        from: null,
        until: null,
        workUnitId: null,
        publicWorkUnitId: null,
        devices: names.length,
        first: names.slice(0, namesShown),
      },
    ];
  });
}

export const collisionsAction = (compiled: () => Promise<CompiledRules>) =>
  implement(planCollisions, async (ctx, { tenantId, deviceIds, from, until, workUnitId }) => {
    requirePermission(ctx, 'WorkUnits', 'view', tenantId);
    const [begin, end] = [Date.parse(from), Date.parse(until)];
    if (end <= begin) throw validationFailed([{ target: 'until', message: 'until must be after from.' }]);
    const devices = (await readEntities(ctx.db, deviceIds)).filter(({ tenantId: of }) => of === tenantId);
    const nameOf = new Map(devices.map(({ id, name }) => [id, name]));
    const rows = await ctx.db.query<CollidingRow>({
      name: 'plan-collisions',
      text: overlapping,
      values: [tenantId, [...nameOf.keys()], new Date(begin).toISOString(), new Date(end).toISOString(), workUnitId ?? null],
    });
    const others = rows
      .filter((row) => row.kind === 'freeze' || row.deviceIds.length > 0)
      .map(({ deviceIds: shared, ...row }): PlanCollision => {
        const names = shared.map((id) => nameOf.get(id) ?? '').toSorted();
        return { ...row, devices: names.length, first: names.slice(0, namesShown) };
      });
    return { value: [...others, ...(await ofRules(ctx, await compiled(), tenantId, devices, begin, end))].slice(0, listedMax) };
  });
