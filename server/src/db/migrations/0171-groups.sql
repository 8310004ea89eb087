-- Matches that share a key become one unit: what a rule groups by, how long after the last match another one joins, how often a
-- summary says what has changed, and how many matches a minute of the rule act by themselves.
alter table rule add column group_by text not null default 'Subject', add column group_tag text, add column group_window int not null default 1800,
  add column group_summary int not null default 900, add column storm_limit int not null default 100;

-- What a device depends on. Its rows are deleted by a mark alone.
alter table device add column parent_device_id uuid;
create index device_parent on device (parent_device_id) where parent_device_id is not null;

-- Matches that share a cause. Its actions run for the first of them, the lead.
create table match_group (
  match_group_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  -- The rule, or the tenant when rules share the group.
  scope_id uuid not null,
  group_key text not null,
  kind text not null,
  -- What the matches share, for people.
  label text not null,
  -- What happened, for people: the devices that fell silent, or what they depend on. Null: the label says it.
  statement text,
  rule_id uuid not null,
  lead_match_id uuid not null,
  -- The row of rule_unit that names its unit.
  unit_scope uuid not null,
  unit_key uuid not null,
  work_unit_id bigint,
  -- Whether another match may join.
  accepts boolean not null default true,
  joined int not null default 0,
  window_seconds int not null,
  summary_seconds int not null,
  opened timestamptz(3) not null default now(),
  last_joined timestamptz(3) not null default now(),
  -- When the next summary is due; null while nothing has changed since the last one.
  summary_due timestamptz(3),
  summarised timestamptz(3) not null default now(),
  summaries int not null default 0,
  ended timestamptz(3)
);
create unique index match_group_accepts on match_group (tenant_id, scope_id, group_key) where accepts;
create index match_group_open on match_group (tenant_id, match_group_id) where ended is null;
create index match_group_due on match_group (summary_due) where summary_due is not null;
create index match_group_unit on match_group (work_unit_id) where work_unit_id is not null;
create index match_group_lead on match_group (lead_match_id);
create index match_group_before on match_group (tenant_id, unit_scope, unit_key, opened desc);
create index match_group_ended on match_group (ended) where ended is not null;
select secure_tenant_table('match_group');
grant select, insert, update, delete on match_group to app_scoped, app_global;

-- A match whose actions depend on its group. Packets only add rows; workers set the group.
create table match_group_member (
  rule_match_id uuid primary key,
  tenant_id uuid not null references tenant,
  -- Why its actions depend on a group: Key (of the rule), Storm or Silence.
  cause text not null,
  -- What held its actions before: see execution ids.
  again text,
  match_group_id uuid references match_group on delete cascade,
  -- Why it belongs to the group, for people; null when it shares the key.
  reason text,
  join_after timestamptz(3) not null default now(),
  created timestamptz(3) not null default now(),
  joined timestamptz(3),
  ended timestamptz(3)
);
create index match_group_member_waits on match_group_member (tenant_id, join_after) where match_group_id is null;
create index match_group_member_open on match_group_member (match_group_id) where ended is null;
create index match_group_member_group on match_group_member (match_group_id, rule_match_id);
create index match_group_member_created on match_group_member (created);
select secure_tenant_table('match_group_member');
grant select, insert, update, delete on match_group_member to app_scoped, app_global;

-- The matches that a work unit stands for: those of its groups, and those without a group that opened it or were added.
create index rule_match_work_unit on rule_match (work_unit_id) where work_unit_id is not null;
create view unit_match with (security_invoker = true) as
select m.rule_match_id, m.tenant_id, g.work_unit_id, m.rule_id, m.subject_id, m.label, m.first_match, m.last_match, m.expires, m.closed, m.match_count, m.rule_packet,
  case when m.closed is null then 'Open' else 'Ended' end as state, g.kind, coalesce(g.statement, g.label) as shared, n.reason, n.joined, m.rule_match_id = g.lead_match_id as is_first,
  m.version
from match_group g join match_group_member n on n.match_group_id = g.match_group_id join rule_match m on m.rule_match_id = n.rule_match_id
where g.work_unit_id is not null
union all
select m.rule_match_id, m.tenant_id, m.work_unit_id, m.rule_id, m.subject_id, m.label, m.first_match, m.last_match, m.expires, m.closed, m.match_count, m.rule_packet,
  case when m.closed is null then 'Open' else 'Ended' end, 'Subject', m.label, null, null, not m.is_repeat, m.version
from rule_match m
where m.work_unit_id is not null and not exists (select from match_group_member n where n.rule_match_id = m.rule_match_id and n.match_group_id is not null);
grant select on unit_match to app_scoped, app_global;
