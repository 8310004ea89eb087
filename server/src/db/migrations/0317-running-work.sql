-- Periodic work that takes long says that it still runs, so that no other process begins it meanwhile; the lease ends with its process.
alter table schedule add column runner uuid, add column running_until timestamptz(3);
