-- What a rule does with its work unit when somebody ends it while the match goes on: open it again, open another one, or nothing until
-- the match ends; and after how many seconds of further hits.
alter table rule add column while_matching text not null default 'Reopen', add column reopen_after int not null default 300;

-- Ended work units with a match that was open when they ended. A row is deleted when the unit is opened again or no match is open.
create table unit_watch (
  work_unit_id bigint primary key,
  tenant_id uuid not null references tenant,
  -- When the unit ended.
  since timestamptz(3) not null,
  -- Hops of the change that ended it.
  hops int not null default 0,
  -- When the feed of the unit said that it still matches.
  noted timestamptz(3)
);
create index unit_watch_tenant on unit_watch (tenant_id);
create index unit_watch_since on unit_watch (since);
grant select, insert, update, delete on unit_watch to app_scoped, app_global;
select secure_tenant_table('unit_watch');
-- Units that ended before this version.
set local role app_global;
insert into unit_watch (work_unit_id, tenant_id, since)
select distinct w.work_unit_id, w.tenant_id, now() from rule_match m
left join match_group_member n on n.rule_match_id = m.rule_match_id left join match_group g on g.match_group_id = n.match_group_id
join work_unit w on w.work_unit_id = coalesce(g.work_unit_id, m.work_unit_id) and w.tenant_id = m.tenant_id
where m.closed is null and w.state_id in ('Resolved', 'Closed', 'Canceled');
reset role;

-- Which repetition of its actions the match ran last; null: none. The end of the match waits for it.
alter table rule_match add column again text;

-- When an ended unit is opened again if its match goes on. A view takes new columns at its end.
create or replace view unit_match with (security_invoker = true) as
select m.rule_match_id, m.tenant_id, g.work_unit_id, m.rule_id, m.subject_id, m.label, m.first_match, m.last_match, m.expires, m.closed, m.match_count, m.rule_packet,
  case when m.closed is null then 'Open' else 'Ended' end as state, g.kind, coalesce(g.statement, g.label) as shared, n.reason, n.joined, m.rule_match_id = g.lead_match_id as is_first,
  m.version, m.usual, case when m.closed is null then w.since + make_interval(secs => r.reopen_after) end as opens_again_at
from match_group g join match_group_member n on n.match_group_id = g.match_group_id join rule_match m on m.rule_match_id = n.rule_match_id
left join unit_watch w on w.work_unit_id = g.work_unit_id left join rule r on r.rule_id = g.rule_id and r.enabled and r.while_matching <> 'Silent'
where g.work_unit_id is not null
union all
select m.rule_match_id, m.tenant_id, m.work_unit_id, m.rule_id, m.subject_id, m.label, m.first_match, m.last_match, m.expires, m.closed, m.match_count, m.rule_packet,
  case when m.closed is null then 'Open' else 'Ended' end, 'Subject', m.label, null, null, not m.is_repeat, m.version, m.usual,
  case when m.closed is null then w.since + make_interval(secs => r.reopen_after) end
from rule_match m
left join unit_watch w on w.work_unit_id = m.work_unit_id left join rule r on r.rule_id = m.rule_id and r.enabled and r.while_matching <> 'Silent'
where m.work_unit_id is not null and not exists (select from match_group_member n where n.rule_match_id = m.rule_match_id and n.match_group_id is not null);
