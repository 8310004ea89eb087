-- By how many seconds a packet may be older than the latest one of its entity and still be evaluated where it belongs in time.
alter table rule add column late_grace int not null default 10;
