-- The mail that takes this one along. It is written before that is sent, so that a worker that is lost in between sends the same mail again.
alter table waiting_mail add column merged_into uuid;
create index waiting_mail_merged on waiting_mail (merged_into) where merged_into is not null;
