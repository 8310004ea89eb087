-- Since when actions of a match wait for the end of a maintenance, and when they stopped waiting.
alter table rule_match add column held_since timestamptz(3), add column held_until timestamptz(3);
create index rule_match_waits on rule_match (rule_match_id) where held_since is not null and held_until is null;
