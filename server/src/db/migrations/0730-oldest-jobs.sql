-- A lease looks at the oldest due jobs first, of those that work inside and of those that call out.
create index job_inside_oldest on job (run_at, job_id) where dead_at is null and destination is null;
create index job_calls_oldest on job (run_at, job_id) where dead_at is null and destination is not null;
create index destination_open on destination (tenant_id, origin) where failures >= 4 and disabled is null;
