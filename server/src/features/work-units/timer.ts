/**
 * The timer of a work unit: it exists while the unit has a protocol and is in one of `timedStates`. The watch of a work unit
 * exists while it is New or Acknowledged and has a protocol, or a rule whose acknowledgements run out. Both are written in the transaction of each change.
 */
import type { Ctx } from '../../context/ctx.ts';
import type { RowChange } from '../../resources/served.ts';
import type { WorkUnitRow } from './state.rules.ts';

/** States in which OnTimer events occur. */
export const timedStates = ['New', 'Acknowledged', 'InProgress', 'OnHold'] as const;

// A running timer keeps its due time; a new protocol or interval counts from this time on. A new state or protocol begins a new
// watch.
const keep = `with unit as (
  select w.work_unit_id, w.tenant_id, p.timer_inverval from work_unit w join protocol p using (protocol_id)
  where w.work_unit_id = $1 and w.state_id = any($2)
), gone as (
  delete from work_unit_timer where work_unit_id = $1 and not exists (select from unit)
), asked as (
  select w.work_unit_id, w.tenant_id from work_unit w where w.work_unit_id = $1 and w.state_id in ('New', 'Acknowledged')
    and (w.protocol_id is not null or exists (select from rule r where r.rule_id = w.rule_id and r.acknowledged_for is not null))
), unwatched as (
  delete from answer_watch where work_unit_id = $1 and not exists (select from asked)
), watched as (
  insert into answer_watch as v (work_unit_id, tenant_id, look_at)
  select a.work_unit_id, a.tenant_id, now() + interval '5 seconds' from asked a
  on conflict (work_unit_id) do update set tenant_id = excluded.tenant_id, since = now(), chain_ended = null, look_at = excluded.look_at
)
insert into work_unit_timer as t (work_unit_id, tenant_id, due)
select work_unit_id, tenant_id, now() + make_interval(secs => timer_inverval) from unit
on conflict (work_unit_id) do update set tenant_id = excluded.tenant_id where t.tenant_id <> excluded.tenant_id`;

const matters: readonly string[] = ['stateId', 'protocolId', 'tenantId'];

/** Creates or deletes timer and watch as the unit requires, in the transaction of the change. */
export async function keepTimer(ctx: Ctx, { before, after, changed }: RowChange<WorkUnitRow>): Promise<void> {
  if (!before && !after.protocolId && after.ruleId === null) return;
  if (!changed.some((name) => matters.includes(name))) return;
  await ctx.db.defer({ name: 'work-unit-timer', text: keep, values: [after.workUnitId, timedStates] });
}
