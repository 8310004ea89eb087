-- Until when nobody needs to look at a unit, and who said so. It ends at that time, or when something changes.
alter table work_unit add column snoozed_until timestamptz(3), add column snoozed_by text;
create index work_unit_snoozed on work_unit (snoozed_until) where snoozed_until is not null;
