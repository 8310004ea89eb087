-- The devices of a change, and which of their matches it expects while its planned time runs.
alter table work_unit add column affected_devices jsonb not null default '[]', add column expected_rules jsonb not null default '[]',
  add column expects_silence boolean not null default false;
