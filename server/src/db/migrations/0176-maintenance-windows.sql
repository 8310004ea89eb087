-- Maintenance of devices or of a location for a time, which people start, extend and end. An approved change has one of its own.
create table maintenance_window (
  maintenance_window_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  reason text not null,
  starts_at timestamptz(3) not null default now(),
  ends_at timestamptz(3) not null check (ends_at >= starts_at),
  device_ids jsonb not null default '[]',
  location_id uuid references location on delete set null,
  work_unit_id bigint references work_unit,
  -- The window of an approved change: it follows the plan of its work unit.
  is_change boolean not null default false,
  -- The rules whose matches are held; null holds all.
  rule_ids jsonb,
  -- Holds matches of rules on silence and states, besides those of rule_ids.
  holds_silence boolean not null default false,
  created timestamptz(3) not null default now(),
  created_by text not null default '',
  modified timestamptz(3) not null default now(),
  modified_by text not null default '',
  version int not null default 1
);
create index maintenance_window_tenant on maintenance_window (tenant_id, ends_at desc, maintenance_window_id);
create index maintenance_window_list on maintenance_window (ends_at desc, maintenance_window_id);
create index maintenance_window_location on maintenance_window (location_id) where location_id is not null;
create index maintenance_window_unit on maintenance_window (work_unit_id) where work_unit_id is not null;
create unique index maintenance_window_change on maintenance_window (work_unit_id) where is_change;
select secure_tenant_table('maintenance_window');
grant select, insert, update, delete on maintenance_window to app_scoped, app_global;
