-- Reports that are sent by mail at set times. Each belongs to its owner and to a tenant.
create table report_schedule (
  report_schedule_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  person_id uuid not null references person on delete cascade,
  name text not null,
  dimension text not null,
  period text not null,
  -- Whether it is about all tenants of each receiver, instead of its own.
  is_all_tenants boolean not null,
  rhythm text not null,
  day smallint not null,
  hour smallint not null,
  time_zone text not null,
  receivers uuid[] not null,
  is_enabled boolean not null,
  next_run timestamptz(3) not null,
  last_run timestamptz(3),
  last_result jsonb not null default '[]',
  created timestamptz(3) not null default now(),
  unique (person_id, name)
);
create index report_schedule_due on report_schedule (next_run) where is_enabled;
create index report_schedule_tenant on report_schedule (tenant_id);
select secure_tenant_table('report_schedule');
grant select, insert, update, delete on report_schedule to app_scoped, app_global;
