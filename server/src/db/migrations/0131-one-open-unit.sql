-- What a rule does when a fault comes back: add it to the open unit, open the unit again that was resolved at most so many hours ago, or open
-- a new one.
alter table rule add column recurrence text not null default 'Append', add column reopen_hours int;
-- The rule that opened the unit, and how many of its matches the unit stands for.
alter table work_unit add column rule_id uuid, add column occurrences int not null default 1;
create index work_unit_rule on work_unit (rule_id, created desc) where rule_id is not null;
-- The unit that the match has opened or was added to, and whether it was added.
alter table rule_match add column work_unit_id bigint, add column is_repeat boolean not null default false;

-- The latest unit of a rule and a subject. Its row is locked while a match opens a unit, so that at most one is open.
create table rule_unit (
  tenant_id uuid not null references tenant,
  rule_id uuid not null,
  subject_id uuid not null,
  phase text not null,
  work_unit_id bigint,
  modified timestamptz(3) not null default now(),
  primary key (rule_id, subject_id, phase)
);
create index rule_unit_modified on rule_unit (modified);
select secure_tenant_table('rule_unit');
grant select, insert, update, delete on rule_unit to app_scoped, app_global;

set local role app_global;
update action_definition set input_parameters = 'TenantId,ProtocolId,SeverityId,Title,Description,WorkUnitTypeId,WorkUnitCategoryId,Category,AssignmentGroup,AssignedTo'
where action_definition_id = '0197f000-0000-7000-8000-000000000003';
reset role;
