-- Service levels: how soon work units are acknowledged, answered and resolved, by which working hours, and the clocks that follow from them.
create table working_calendar (
  working_calendar_id uuid primary key default uuidv7(),
  tenant_id uuid references tenant,
  name text not null,
  time_zone text not null default 'UTC',
  hours jsonb not null,
  holidays jsonb not null default '[]',
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create index working_calendar_list on working_calendar (name, working_calendar_id);
create index working_calendar_tenant on working_calendar (tenant_id, name, working_calendar_id);
select secure_tenant_table('working_calendar');
grant select, insert, update, delete on working_calendar to app_scoped, app_global;

create table service_level (
  service_level_id uuid primary key default uuidv7(),
  tenant_id uuid references tenant,
  name text not null,
  work_unit_type_id bigint references work_unit_type,
  work_unit_category_id uuid references work_unit_category,
  severity_id text,
  acknowledge_minutes int,
  first_answer_minutes int,
  resolve_minutes int,
  next_update_minutes int,
  warn_percent int not null default 75,
  working_calendar_id uuid references working_calendar,
  pauses_on_hold boolean not null default true,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
-- So one level holds for a unit: no two name the same.
create unique index service_level_for on service_level (tenant_id, work_unit_category_id, severity_id, work_unit_type_id) nulls not distinct;
create index service_level_list on service_level (name, service_level_id);
create index service_level_tenant on service_level (tenant_id, name, service_level_id);
create index service_level_calendar on service_level (working_calendar_id);
select secure_tenant_table('service_level');
grant select, insert, update, delete on service_level to app_scoped, app_global;

-- A clock has the terms of the level when it began: neither a change of the level nor its end touches it.
create table work_unit_clock (
  work_unit_clock_id bigint generated always as identity primary key,
  work_unit_id bigint not null references work_unit,
  tenant_id uuid not null references tenant,
  kind text not null,
  state text not null,
  service_level_id uuid not null,
  level_name text not null,
  target_minutes int not null,
  warn_percent int not null,
  pauses_on_hold boolean not null,
  calendar jsonb,
  started timestamptz(3) not null,
  ended timestamptz(3),
  due_at timestamptz(3),
  warn_at timestamptz(3),
  warned timestamptz(3),
  breached timestamptz(3),
  carried_ms bigint not null default 0,
  periods jsonb not null,
  -- When the next warning or breach has to be recorded; null: nothing until the unit changes.
  look_at timestamptz(3)
);
create unique index work_unit_clock_open on work_unit_clock (work_unit_id, kind) where ended is null;
create index work_unit_clock_unit on work_unit_clock (work_unit_id, kind, work_unit_clock_id);
create index work_unit_clock_list on work_unit_clock (started, work_unit_clock_id);
create index work_unit_clock_tenant on work_unit_clock (tenant_id, started, work_unit_clock_id);
create index work_unit_clock_look_at on work_unit_clock (look_at) where look_at is not null;
select secure_tenant_table('work_unit_clock');
grant select, insert, update, delete on work_unit_clock to app_scoped, app_global;

alter table work_unit
  add column clock_due timestamptz(3),
  add column clock_warn timestamptz(3),
  add column level_warned timestamptz(3),
  add column level_breached timestamptz(3);
create index work_unit_clock_due on work_unit (clock_due, work_unit_id) where clock_due is not null;
create index work_unit_clock_warn on work_unit (clock_warn) where clock_warn is not null;
