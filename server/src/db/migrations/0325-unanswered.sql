-- How a protocol goes on while nobody works on a unit, in seconds. Null: it does not.
alter table protocol
  -- After the last step for New, until the unit counts as unanswered.
  add column unanswered_after int not null default 300,
  -- After the last step for New, until these steps run again.
  add column repeat_every int,
  -- After the last work of a person, until an acknowledgement no longer counts.
  add column acknowledged_for int;
-- Since when the steps for New have run out without an acknowledgement.
alter table work_unit add column unanswered_since timestamptz(3);
create index work_unit_unanswered on work_unit (unanswered_since) where unanswered_since is not null;

-- A unit with a protocol that is New or Acknowledged, and when to look whether somebody works on it.
create table answer_watch (
  work_unit_id bigint primary key references work_unit on delete cascade,
  tenant_id uuid not null references tenant,
  -- Since when it has its state; after a repetition, since when its steps run again.
  since timestamptz(3) not null default now(),
  -- When all steps for New had run.
  chain_ended timestamptz(3),
  -- Null: until the unit or its protocol changes.
  look_at timestamptz(3)
);
create index answer_watch_look_at on answer_watch (look_at) where look_at is not null;
select secure_tenant_table('answer_watch');
grant select, insert, update, delete on answer_watch to app_scoped, app_global;
