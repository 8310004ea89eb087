-- On-call schedules: layers of rotations, and people who take somebody's place for some time.
create table on_call_schedule (
  on_call_schedule_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  name text not null,
  description text,
  time_zone text not null,
  layers jsonb not null default '[]',
  holidays jsonb not null default '[]',
  -- Part of the signed address of its calendar feed: a new number makes earlier addresses invalid.
  calendar_number int not null default 1,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  modified_by text not null default '',
  version int not null default 1
);
create index on_call_schedule_tenant on on_call_schedule (tenant_id, name, on_call_schedule_id);
create index on_call_schedule_list on on_call_schedule (name, on_call_schedule_id);
select secure_tenant_table('on_call_schedule');
grant select, insert, update, delete on on_call_schedule to app_scoped, app_global;

create table on_call_override (
  on_call_override_id uuid primary key default uuidv7(),
  on_call_schedule_id uuid not null references on_call_schedule on delete cascade,
  tenant_id uuid not null references tenant,
  person_id uuid not null references person,
  starts_at timestamptz(3) not null,
  ends_at timestamptz(3) not null check (ends_at > starts_at),
  reason text,
  created timestamptz(3) not null default now(),
  created_by text not null default '',
  version int not null default 1
);
create index on_call_override_schedule on on_call_override (on_call_schedule_id, ends_at);
create index on_call_override_tenant on on_call_override (tenant_id, starts_at desc, on_call_override_id);
create index on_call_override_list on on_call_override (starts_at desc, on_call_override_id);
create index on_call_override_person on on_call_override (person_id);
create index on_call_override_ended on on_call_override (ends_at);
select secure_tenant_table('on_call_override');
grant select, insert, update, delete on on_call_override to app_scoped, app_global;
