-- What each process sees on its machine, for those who are responsible: a full disk, a log that cannot be archived.
alter table server_process add column troubles jsonb not null default '[]';
