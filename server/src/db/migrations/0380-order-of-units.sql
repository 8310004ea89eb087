-- The units of one rule and subject, or of one group, have the same `line`: the messages about them have one order.
alter table work_unit add column line uuid;
create index work_unit_line on work_unit (line, work_unit_id) where line is not null;
-- The place of a run among those of its units, in the order of their events.
alter table protocol_run add column place bigint generated always as identity;
-- The changes of a unit that are not handled yet.
create index job_of_unit on job (((payload ->> 'workUnitId')::bigint), job_id) where name = 'work-unit-event' and dead_at is null;
