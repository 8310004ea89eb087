-- The protocol of the work unit that a source opens when it is late.
alter table intake_source add column late_protocol_id uuid;
