-- The matches of a work unit say what is usual, as the list of matches does. A view takes new columns at its end.
create or replace view unit_match with (security_invoker = true) as
select m.rule_match_id, m.tenant_id, g.work_unit_id, m.rule_id, m.subject_id, m.label, m.first_match, m.last_match, m.expires, m.closed, m.match_count, m.rule_packet,
  case when m.closed is null then 'Open' else 'Ended' end as state, g.kind, coalesce(g.statement, g.label) as shared, n.reason, n.joined, m.rule_match_id = g.lead_match_id as is_first,
  m.version, m.usual
from match_group g join match_group_member n on n.match_group_id = g.match_group_id join rule_match m on m.rule_match_id = n.rule_match_id
where g.work_unit_id is not null
union all
select m.rule_match_id, m.tenant_id, m.work_unit_id, m.rule_id, m.subject_id, m.label, m.first_match, m.last_match, m.expires, m.closed, m.match_count, m.rule_packet,
  case when m.closed is null then 'Open' else 'Ended' end, 'Subject', m.label, null, null, not m.is_repeat, m.version, m.usual
from rule_match m
where m.work_unit_id is not null and not exists (select from match_group_member n where n.rule_match_id = m.rule_match_id and n.match_group_id is not null);
