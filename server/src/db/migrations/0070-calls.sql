-- Jobs that call out wait apart from those that work inside: `destination` is the origin that such a job calls.
-- A job without one has not been looked at, or works inside.
alter table job add column destination text;
create index job_inside_due on job (tenant_id, run_at, job_id) where dead_at is null and destination is null;
create index job_calls_due on job (tenant_id, destination, run_at, job_id) where dead_at is null and destination is not null;
drop index job_tenant_due;

-- A circuit that opened for hours lets a call through within a minute from now on.
set local role app_global;
update destination set paused_until = now() where paused_until is not null and disabled is null;
reset role;
