-- A match ends only after so many seconds without a hit, although its recovery conditions hold or its lifetime is over.
alter table rule add column clear_for int not null default 0;
