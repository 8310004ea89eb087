-- By what two machines with one key are told apart: hashes of facts of the machine, and the process of the agent. `previous_instance`
-- is the process before the present one; `instance_returns` counts its calls since. `copied_from`: the name of the device whose key
-- the machine had before it enrolled its own.
alter table pending_device
  add column facts jsonb,
  add column instance_id uuid,
  add column instance_since timestamptz(3),
  add column previous_instance uuid,
  add column instance_returns int not null default 0,
  add column refused_instance uuid,
  add column copied_from text;
