-- A packet that comes late counts in the match that was open at the packet's own time.
create index rule_match_ended on rule_match (rule_id, subject_id, expires) where closed is not null;
-- The match had ended before it was written, so that its actions never ran.
alter table rule_match add column is_late boolean not null default false;
