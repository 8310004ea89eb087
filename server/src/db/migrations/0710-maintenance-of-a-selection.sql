-- Maintenance of a selection: it covers devices while they are in the selection.
alter table maintenance_window add column device_selection_id uuid references device_selection on delete set null;
create index maintenance_window_selection on maintenance_window (device_selection_id) where device_selection_id is not null;
create unique index maintenance_window_of_tenant on maintenance_window (tenant_id, maintenance_window_id);

-- When devices that have left the selection of a maintenance were in it: late packets and explanations are about that time.
create table maintenance_window_left (
  tenant_id uuid not null references tenant,
  maintenance_window_id uuid not null,
  device_id uuid not null,
  since timestamptz(3) not null,
  until timestamptz(3) not null,
  primary key (tenant_id, maintenance_window_id, device_id, since),
  foreign key (tenant_id, maintenance_window_id) references maintenance_window (tenant_id, maintenance_window_id) on delete cascade
);
select secure_tenant_table('maintenance_window_left');
grant select, insert, update, delete on maintenance_window_left to app_scoped, app_global;
