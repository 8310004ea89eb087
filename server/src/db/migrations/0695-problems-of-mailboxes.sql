-- Since when a mailbox cannot be read: what lasts is told to somebody.
alter table mailbox add column problem_since timestamptz(3);
