-- The running workers. Each holds an advisory lock with its key for as long as its session lives, so another process sees when it
-- has ended, and frees its leases. `gone_since`: since when nobody holds the lock.
create table worker (
  worker_id text primary key,
  lock_key int not null,
  data_folder text not null,
  pid int not null,
  started timestamptz(3) not null default now(),
  gone_since timestamptz(3)
);
grant select, insert, update, delete on worker to app_global;
