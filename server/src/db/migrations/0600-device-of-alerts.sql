-- The device that a block of a source is about, if a label of what was sent names one: units of the block are related to it.
alter table source_entity add column about_device_id uuid references device on delete set null;
create index source_entity_about on source_entity (about_device_id) where about_device_id is not null;
