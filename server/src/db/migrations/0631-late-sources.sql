-- Sources that must report: after how many seconds without data a work unit is opened, since when that is watched, and that unit.
alter table intake_source
  add column report_within int,
  add column late_severity text not null default 'Sev2',
  add column report_watched_since timestamptz(3),
  add column late_since timestamptz(3),
  add column late_work_unit_id bigint;
create index intake_source_watched on intake_source (source_id) where report_within is not null or late_since is not null;
