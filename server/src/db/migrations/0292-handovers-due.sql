-- When the hand-overs of a schedule must be looked at next; null: now. Whatever changes the schedule or its overrides
-- sets it to null.
alter table on_call_schedule add column look_at timestamptz;
create index on_call_schedule_look on on_call_schedule (look_at nulls first);
