-- What reports of work units add up: one row for each tenant, day (UTC) on which units were opened, dimension and key of it.
-- The times of the units are packed as int4, one after another, so that medians over any period are exact.
create table work_unit_day (
  tenant_id uuid not null references tenant,
  day date not null,
  dimension text not null,
  key text not null,
  opened int not null,
  open int not null,
  unacknowledged int not null,
  acknowledge_seconds bytea not null,
  resolve_seconds bytea not null,
  acknowledge_met int not null,
  acknowledge_breached int not null,
  resolve_met int not null,
  resolve_breached int not null,
  primary key (tenant_id, day, dimension, key)
);
create index work_unit_day_dimension on work_unit_day (dimension, day, tenant_id) include (opened);
-- The same rows added up by month, under its first day, so that a year has few rows.
create table work_unit_month (like work_unit_day including all, foreign key (tenant_id) references tenant);
select secure_tenant_table('work_unit_day');
select secure_tenant_table('work_unit_month');
grant select, insert, update, delete on work_unit_day, work_unit_month to app_scoped, app_global;

-- Days whose rows have to be computed again. Triggers add rows and never change any, so that writers do not wait for each other.
create table work_unit_day_due (
  tenant_id uuid not null,
  day date not null
);
create index work_unit_day_due_day on work_unit_day_due (day, tenant_id);

create function note_work_unit_day() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into work_unit_day_due
    select old.tenant_id, (old.created at time zone 'UTC')::date union select new.tenant_id, (new.created at time zone 'UTC')::date;
  else
    insert into work_unit_day_due select distinct tenant_id, (created at time zone 'UTC')::date from written;
  end if;
  return null;
end $$;

create trigger note_day_of_inserted after insert on work_unit referencing new table as written for each statement execute function note_work_unit_day();
create trigger note_day_of_deleted after delete on work_unit referencing old table as written for each statement execute function note_work_unit_day();
-- The clocks of a unit show in these columns too, so their changes need no trigger.
create trigger note_day_of_changed after update of tenant_id, created, state_id, resolved, assigned_to, severity_id, work_unit_type_id, work_unit_category_id,
  rule_id, is_spam_call, approval_overridden_by, clock_due, level_breached on work_unit for each row
  when ((old.tenant_id, old.created, old.state_id, old.resolved, old.assigned_to, old.severity_id, old.work_unit_type_id, old.work_unit_category_id,
      old.rule_id, old.is_spam_call, old.approval_overridden_by, old.clock_due, old.level_breached)
    is distinct from (new.tenant_id, new.created, new.state_id, new.resolved, new.assigned_to, new.severity_id, new.work_unit_type_id, new.work_unit_category_id,
      new.rule_id, new.is_spam_call, new.approval_overridden_by, new.clock_due, new.level_breached)) execute function note_work_unit_day();

-- The triggers hold writers back until this migration ends.
insert into work_unit_day_due select distinct tenant_id, (created at time zone 'UTC')::date from work_unit;
select secure_tenant_table('work_unit_day_due');
grant select, insert, delete on work_unit_day_due to app_scoped, app_global;
