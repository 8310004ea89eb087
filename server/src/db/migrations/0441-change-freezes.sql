-- Change freezes: times in which a change of the tenant, or of any tenant, needs an override.
create table change_freeze (
  change_freeze_id uuid primary key default uuidv7(),
  tenant_id uuid references tenant,
  name text not null,
  starts_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  created timestamptz(3) not null default now(),
  created_by text not null,
  modified timestamptz(3) not null default now(),
  modified_by text not null,
  version int not null default 1,
  check (ends_at > starts_at)
);
create index change_freeze_list on change_freeze (ends_at desc, change_freeze_id);
create index change_freeze_tenant on change_freeze (tenant_id, ends_at desc, change_freeze_id);
select secure_tenant_table('change_freeze');
grant select, insert, update, delete on change_freeze to app_scoped, app_global;

-- The calendar of changes reads the plans of a month.
create index work_unit_plan on work_unit (tenant_id, planned_finish_time) where work_unit_type_id = 2 and planned_finish_time is not null;
