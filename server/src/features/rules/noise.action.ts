/** How much work the rules of a tenant cause its people. */
import { changesOf, flappingMatches } from '@cloudfit/contract/noise/flapping.ts';
import { ruleNoiseReport, type RuleNoise } from '@cloudfit/contract/noise/calls.ts';
import { requirePermission } from '../../context/ctx.ts';
import { requireTenant } from '../../resources/disabled-tenants.ts';
import { implement } from '../../resources/action.ts';

// The lifetime of a match is read from the match, because an exception of the rule may have another one.
const noise = `with m as (
  select m.rule_id, subject_id, match_count, first_match, coalesce(closed, least(expires, now())) as ended,
    m.created - lag(coalesce(closed, expires)) over of_subject
      < lag(expires - case when r.use_sliding_expiration or r.clear_for > 0 then last_match else first_match end) over of_subject as is_quick,
    first_match - lag(last_match) over of_subject as without_hit,
    count(*) over (partition by m.rule_id, subject_id order by first_match range between interval '1 hour' preceding and current row) as in_hour
  from rule_match m join rule r on r.rule_id = m.rule_id where m.tenant_id = $1 and m.created >= $2
  window of_subject as (partition by m.rule_id, subject_id order by m.created)
), flapping as (
  select rule_id, subject_id, max(in_hour) as in_hour, extract(epoch from sum(ended - first_match)) / greatest(1, extract(epoch from max(ended) - min(first_match))) as matching
  from m group by rule_id, subject_id having max(in_hour) >= ${flappingMatches}
), clear as (
  select f.rule_id, count(distinct f.subject_id)::int as subjects, max(f.in_hour)::int as in_hour, avg(least(1, f.matching))::float8 as matching,
    greatest(1, ceil(percentile_cont(0.8) within group (order by extract(epoch from m.without_hit)) / 60))::int as minutes
  from flapping f join m using (rule_id, subject_id) group by f.rule_id
), joined as (
  select m.rule_id, count(*) filter (where m.without_hit is null or m.without_hit > make_interval(mins => c.minutes))::int as matches
  from m join clear c using (rule_id) group by m.rule_id
), matches as (
  select m.rule_id, count(*)::int as matches, count(*) filter (where match_count = 1)::int as single, count(distinct subject_id)::int as subjects,
    count(*) filter (where is_quick)::int as quick
  from m group by rule_id
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
select r.rule_id as "ruleId", r.name, r.enabled, coalesce(matches.matches, 0) as matches, coalesce(single, 0) as single, coalesce(quick, 0) as "returning",
  coalesce(matches.subjects, 0) as subjects,
  coalesce(clear.subjects, 0) as flapping, coalesce(${changesOf(1)} * clear.in_hour, 0) as "changesPerHour", coalesce(clear.matching, 0) as "timeMatching",
  coalesce(clear.minutes, 0) as "clearMinutes", coalesce(joined.matches, matches.matches, 0) as "clearMatches", coalesce(units, 0) as units, coalesce(repeats, 0) as repeats, coalesce(ended, 0) as ended, coalesce(idle, 0) as idle,
  coalesce(units.minutes, 0) as minutes
from rule r left join matches using (rule_id) left join units using (rule_id) left join clear using (rule_id) left join joined using (rule_id)
where matches.rule_id is not null or units.rule_id is not null
order by coalesce(idle, 0) desc, coalesce(units, 0) + coalesce(repeats, 0) desc, coalesce(matches.matches, 0) desc, r.name limit 200`;

export const ruleNoiseAction = implement(ruleNoiseReport, async (ctx, { tenantId, days }) => {
  requireTenant(ctx, tenantId);
  // The figures show how people work on work units, so both permissions are needed.
  for (const area of ['Rules', 'WorkUnits'] as const) requirePermission(ctx, area, 'view', tenantId);
  const from = new Date(ctx.now().getTime() - days * 86_400_000).toISOString();
  return { value: await ctx.db.query<RuleNoise>({ name: 'rule-noise', text: noise, values: [tenantId, from] }) };
});
