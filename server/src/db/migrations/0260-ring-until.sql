-- When a ring that watches a new version of a rule has watched for long enough, also where devices do not report.
alter table campaign add column ring_until timestamptz(3);
