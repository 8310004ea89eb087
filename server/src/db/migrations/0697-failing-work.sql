-- Since when each run of a periodic work has failed.
alter table schedule add column failed_since timestamptz(3);
