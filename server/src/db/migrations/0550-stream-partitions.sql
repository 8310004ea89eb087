-- The stream in front of ingest: which process writes which partition, and up to which message each one is written. The position moves in the
-- transaction of the packets, so that each message is written once, and by the owner alone.
create table stream_partition (
  partition smallint primary key,
  owner text,
  -- The stream that the position counts in: a stream that was made anew begins at 0.
  stream text,
  sequence bigint not null default 0
);
grant select, insert, update, delete on stream_partition to app_global;
-- The transaction of a batch has the scope of its tenants.
grant select (partition, owner, stream, sequence), update (sequence) on stream_partition to app_scoped;

-- The processes with the role ingest. One that has not reported for a few seconds loses its partitions.
create table stream_process (
  process text primary key,
  at timestamptz(3) not null default now()
);
grant select, insert, update, delete on stream_process to app_global;
