-- The queue under load: taking a job changes no indexed column, so that it writes no index,
-- and what jobs leave behind is cleaned up before the next ones have to read past it.
drop index job_leased;
drop index job_due;
create index job_common_due on job (run_at, job_id) where tenant_id is null and dead_at is null;
alter table job set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
