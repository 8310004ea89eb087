-- How a rule goes on while nobody works on what it tells of, in seconds. Null: it does not.
alter table rule
  -- Since its messages and calls ran last, until they run again while its match is open.
  add column repeat_every int,
  -- Since the last work of a person on its work unit, until an acknowledgement no longer counts.
  add column acknowledged_for int;
create index rule_repeats on rule (rule_id) where repeat_every is not null;
