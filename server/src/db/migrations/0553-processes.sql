-- What each running process says of itself every ten seconds. Not logged, because nothing of it is worth a recovery: after a crash of the
-- database it is empty until each process has spoken again.
create unlogged table server_process (
  process text primary key,
  name text not null,
  pid int not null,
  started timestamptz(3) not null,
  memory_bytes bigint not null,
  lag_ms int not null,
  at timestamptz(3) not null default now()
);
grant select, insert, update, delete on server_process to app_global;
