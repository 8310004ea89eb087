/** Counts open units at the end of past days, from their current state and their history. */
import { openOverTime } from '@cloudfit/contract/actions/work-units/work-units.ts';
import { dayMs } from '@cloudfit/contract/durations.ts';
import { openStates } from '@cloudfit/contract/enums.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { tenantScopeWith } from '../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';

/**
 * Days are numbered from 0; a change on day 3 counts at the end of day 3. `past`: earlier values of state and severity, with the
 * first and last day at whose end each was current. `unit`: the current values of the units that changed. `span`: the days on
 * which a state and a severity were both current. Units without a change since day 0 have one value for all days, so their
 * history is not read. $1: tenants, null for all; $2: start of day 0; $3: number of days; $4: open states.
 */
const counts = `with first_of_day as (
  select distinct on (work_unit_id, field, day) work_unit_id, field, day, old_value
  from (select work_unit_id, field, old_value, created, work_unit_note_id, least(date_part('day', created - $2::timestamptz)::int, $3::int - 1) as day
    from work_unit_note
    where created >= $2::timestamptz and field in ('stateId', 'severityId') and ($1::uuid[] is null or tenant_id = any($1::uuid[]))) c
  order by work_unit_id, field, day, created, work_unit_note_id
), past as (
  select work_unit_id, field, old_value as value, coalesce(lag(day) over of_field, 0) as since, day - 1 as until
  from first_of_day window of_field as (partition by work_unit_id, field order by day)
), unit as materialized (
  select work_unit_id, u.created, state_id, severity_id, state_day, severity_day
  from (select work_unit_id, max(day) filter (where field = 'stateId') as state_day, max(day) filter (where field = 'severityId') as severity_day
    from first_of_day group by work_unit_id) c join work_unit u using (work_unit_id)
), state as (
  select work_unit_id, value as state_id, since, until from past where field = 'stateId' and value = any($4::text[]) and since <= until
  union all select work_unit_id, state_id, coalesce(state_day, 0), $3::int - 1 from unit where state_id = any($4::text[])
), severity as (
  select work_unit_id, value as severity_id, since, until from past where field = 'severityId' and since <= until
  union all select work_unit_id, severity_id, coalesce(severity_day, 0), $3::int - 1 from unit
), span as (
  select severity.severity_id, state.state_id, unit.created, greatest(severity.since, state.since) as since, least(severity.until, state.until) as until
  from state join severity using (work_unit_id) join unit using (work_unit_id)
  union all
  select severity_id, state_id, created, 0, $3::int - 1 from work_unit u
  where state_id = any($4::text[]) and ($1::uuid[] is null or tenant_id = any($1::uuid[]))
    and not exists (select from unit c where c.work_unit_id = u.work_unit_id)
), counted as (
  select severity_id, state_id, greatest(since, date_part('day', created - $2::timestamptz)::int) as since, until, count(*) as n
  from span group by 1, 2, 3, 4
)
select day, severity_id as "severityId", state_id as "stateId", sum(n)::int as n
from counted cross join generate_series(since, until) day group by 1, 2, 3 order by 1, 2, 3`;

const byDay = implement(openOverTime, async (ctx, { days, minutes, tenantId }) => {
  const scope = tenantScopeWith(ctx, [permission('WorkUnits', 'view')]);
  const tenants = tenantId === undefined ? (scope === 'all' ? null : scope) : scope === 'all' || scope.includes(tenantId) ? [tenantId] : [];
  const here = ctx.now().getTime() + minutes * 60_000;
  const firstDay = Math.floor(here / dayMs) * dayMs - (days - 1) * dayMs;
  const rows = await ctx.db.query<{ day: number; severityId: string; stateId: string; n: number }>({
    name: 'open-over-time',
    text: counts,
    values: [tenants, new Date(firstDay - minutes * 60_000), days, openStates],
  });
  return { value: rows.map((row) => ({ ...row, day: new Date(firstDay + row.day * dayMs).toISOString().slice(0, 10) })) };
});

export const openOverTimeActions: readonly ImplementedAction[] = [byDay];
