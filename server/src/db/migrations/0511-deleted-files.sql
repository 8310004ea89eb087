-- A file of a note that somebody has deleted: the row stays and says who, its bytes are gone.
alter table work_unit_file add column deleted_at timestamptz(3);
alter table work_unit_file add column deleted_by text;
