-- Whether the customer of a request has sent the file: all customers of the request may read it. Other files only when a note to
-- them names these.
alter table work_unit_file add column is_from_customer boolean not null default false;
