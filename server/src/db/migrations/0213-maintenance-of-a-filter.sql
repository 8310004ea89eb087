-- Maintenance of all devices of a filter. They are added when it starts, and while it runs; none is taken out before its end.
alter table maintenance_window add column device_filter text;
create table maintenance_window_device (
  maintenance_window_id uuid not null references maintenance_window on delete cascade,
  device_id uuid not null,
  tenant_id uuid not null references tenant,
  added timestamptz(3) not null default now(),
  primary key (maintenance_window_id, device_id)
);
create index maintenance_window_device_tenant on maintenance_window_device (tenant_id);
select secure_tenant_table('maintenance_window_device');
grant select, insert, update, delete on maintenance_window_device to app_scoped, app_global;
create index maintenance_window_filter on maintenance_window (ends_at) where device_filter is not null;
