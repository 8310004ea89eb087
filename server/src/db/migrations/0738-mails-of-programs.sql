-- Whether a mailbox also takes what monitoring and cron send by themselves, which it refuses otherwise.
alter table mailbox add column program_mails boolean not null default false;
