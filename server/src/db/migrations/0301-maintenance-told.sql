-- What the subscribers of a status page were told of a maintenance last. Its unique row keeps two workers from mailing twice. It outlives its
-- window, so that a maintenance that was taken back is told too.
create table status_maintenance_told (
  status_page_id uuid not null references status_page on delete cascade,
  maintenance_window_id uuid not null,
  tenant_id uuid not null references tenant,
  phase text not null check (phase in ('Planned', 'Started', 'Ended')),
  starts_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  components text[] not null,
  told timestamptz(3) not null default now(),
  primary key (status_page_id, maintenance_window_id)
);
create index status_maintenance_told_tenant on status_maintenance_told (tenant_id);
create index status_maintenance_told_end on status_maintenance_told (ends_at);
select secure_tenant_table('status_maintenance_told');
grant select, insert, update, delete on status_maintenance_told to app_scoped, app_global;
