/** How much work the rules of a tenant cause its people. */
import { ruleNoiseReport, type RuleNoise } from '@cloudfit/contract/noise/calls.ts';
import { requirePermission } from '../../context/ctx.ts';
import { requireTenant } from '../../resources/disabled-tenants.ts';
import { implement } from '../../resources/action.ts';

const noise = `with m as (
  select rule_id, subject_id, match_count, created - lag(coalesce(closed, expires)) over (partition by rule_id, subject_id order by created) as pause
  from rule_match where tenant_id = $1 and created >= $2
), matches as (
  select m.rule_id, count(*)::int as matches, count(*) filter (where match_count = 1)::int as single, count(distinct subject_id)::int as subjects,
    count(*) filter (where pause < make_interval(secs => r.match_lifetime))::int as quick
  from m join rule r using (rule_id) group by m.rule_id
), w as (
  select w.rule_id, w.occurrences, w.state_id in ('Resolved', 'Closed', 'Canceled') as is_ended, worked.acknowledged, worked.ended, worked.is_touched
  from work_unit w cross join lateral (
    select min(n.created) filter (where n.new_value = 'Acknowledged' and n.field = 'stateId') as acknowledged,
      max(n.created) filter (where n.new_value in ('Resolved', 'Closed', 'Canceled') and n.field = 'stateId') as ended,
      coalesce(bool_or(n.new_value in ('InProgress', 'OnHold') and n.field = 'stateId'
        or n.field is null and coalesce(n.history_type, 'General') = 'General' and n.created_by <> 'Automation'), false) as is_touched
    from work_unit_note n where n.work_unit_id = w.work_unit_id
  ) worked
  where w.tenant_id = $1 and w.rule_id is not null and w.created >= $2
), units as (
  select rule_id, count(*)::int as units, sum(occurrences - 1)::int as repeats, count(*) filter (where is_ended)::int as ended,
    count(*) filter (where is_ended and not is_touched)::int as idle,
    coalesce(sum(least(extract(epoch from coalesce(case when is_ended then ended end, now()) - acknowledged) / 60, 480)) filter (where acknowledged is not null), 0)::int as minutes
  from w group by rule_id
)
select r.rule_id as "ruleId", r.name, r.enabled, coalesce(matches, 0) as matches, coalesce(single, 0) as single, coalesce(quick, 0) as "returning",
  coalesce(subjects, 0) as subjects, coalesce(units, 0) as units, coalesce(repeats, 0) as repeats, coalesce(ended, 0) as ended, coalesce(idle, 0) as idle,
  coalesce(minutes, 0) as minutes
from rule r left join matches using (rule_id) left join units using (rule_id)
where matches.rule_id is not null or units.rule_id is not null
order by coalesce(idle, 0) desc, coalesce(units, 0) + coalesce(repeats, 0) desc, coalesce(matches, 0) desc, r.name limit 200`;

export const ruleNoiseAction = implement(ruleNoiseReport, async (ctx, { tenantId, days }) => {
  requireTenant(ctx, tenantId);
  // The figures show how people work on work units, so both permissions are needed.
  for (const area of ['Rules', 'WorkUnits'] as const) requirePermission(ctx, area, 'view', tenantId);
  const from = new Date(ctx.now().getTime() - days * 86_400_000).toISOString();
  return { value: await ctx.db.query<RuleNoise>({ name: 'rule-noise', text: noise, values: [tenantId, from] }) };
});
