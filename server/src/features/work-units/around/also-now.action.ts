/** The open work units around one: of the same device, location, rule or assignment group. */
import { alsoNow, type UnitAround } from '@cloudfit/contract/actions/work-units/also-now.ts';
import { openStates } from '@cloudfit/contract/enums.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { may } from '../../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import { servedWorkUnits } from '../work-units.served.ts';

const maxListed = 6;

/**
 * `mine`: devices of the unit; `candidate`: open units of its tenant; `linked`: what their devices share with those of the unit.
 * $1: the unit; $2: its tenant; $3: open states; $4: its rule, null for none; $5: its assignment group; $6: whether devices may be
 * named; $7: the number of rows; $8: whether locations may be named.
 */
const around = `with mine as materialized (
  select d.device_id, d.location_id from work_unit_relation r join device d
    on d.device_id = case when r.reference_id ~ '^[0-9a-f-]{36}$' then r.reference_id::uuid end and d.tenant_id = r.tenant_id
  where $6 and r.work_unit_id = $1 and r.reference_type = 'Device' and not d.is_deleted
), candidate as materialized (
  select work_unit_id, public_work_unit_id, title, severity_id, state_id, created, rule_id, assignment_group from work_unit
  where tenant_id = $2 and state_id = any($3::text[]) and work_unit_id <> $1 order by severity_id, created desc limit 2000
), linked as (
  select c.work_unit_id, min(d.name) filter (where d.device_id in (select device_id from mine)) as device,
    min(l.name) filter (where d.location_id in (select location_id from mine)) as location
  from candidate c join work_unit_relation r on r.work_unit_id = c.work_unit_id and r.reference_type = 'Device'
    join device d on d.device_id = case when r.reference_id ~ '^[0-9a-f-]{36}$' then r.reference_id::uuid end and d.tenant_id = r.tenant_id and not d.is_deleted
    left join location l on $8 and l.location_id = d.location_id
  where exists (select from mine) group by c.work_unit_id
)
select c.work_unit_id::int as "workUnitId", c.public_work_unit_id::int as "publicWorkUnitId", c.title, c.severity_id as "severityId", c.state_id as "stateId",
  c.created, l.device, l.location, coalesce(c.rule_id = $4::uuid, false) as "sameRule", coalesce(c.assignment_group = $5, false) as "sameGroup",
  count(*) over ()::int as total
from candidate c left join linked l on l.work_unit_id = c.work_unit_id
where l.device is not null or l.location is not null or c.rule_id = $4::uuid or c.assignment_group = $5
order by l.device is null, l.location is null, "sameRule" desc, c.severity_id, c.created desc, c.work_unit_id limit $7`;

const others = implement(alsoNow, async (ctx, { id }) => {
  const { tenantId, ruleId, assignmentGroup } = await get(ctx, servedWorkUnits, id);
  const sees = (area: 'Devices' | 'Locations' | 'Rules') => may(ctx, permission(area, 'view'), tenantId);
  const rows = await ctx.db.query<UnitAround & { total: number }>({
    name: 'units-around',
    text: around,
    values: [
      id,
      tenantId,
      openStates,
      sees('Rules') ? ruleId : null,
      assignmentGroup || null,
      sees('Devices'),
      maxListed,
      sees('Locations'),
    ],
  });
  return { total: rows[0]?.total ?? 0, value: rows.map(({ total: _total, ...row }) => row) };
});

export const aroundActions: readonly ImplementedAction[] = [others];
