-- The runs of device operations: requested ones from the request on, others when their agent reports them.
-- The id of a requested run is its completion token.
create table operation_run (
  operation_run_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  device_id uuid not null references device,
  device_operation_id uuid not null references device_operation,
  status text not null,
  requested_by text,
  -- Of a queued run, when it was requested.
  started timestamptz(3) not null default now(),
  ended timestamptz(3),
  duration_ms int,
  exit_code int,
  value text,
  message text,
  progress int,
  output text,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now()
);
create index operation_run_operation on operation_run (device_operation_id, started desc, operation_run_id);
create index operation_run_device on operation_run (device_id, started desc, operation_run_id);
create index operation_run_tenant on operation_run (tenant_id, started desc, operation_run_id);
create index operation_run_list on operation_run (started desc, operation_run_id);
create index operation_run_created on operation_run (created) where ended is not null;
create index operation_run_open on operation_run (modified) where ended is null;
select secure_tenant_table('operation_run');
grant select, insert, update, delete on operation_run to app_scoped, app_global;

-- A requested run that has not started by then expires.
alter table device_operation add column queued_until timestamptz(3);
create index device_operation_queued on device_operation (modified) where completion_token is not null and not operation_complete;
