-- Rules that name another rule, and ended matches of a rule at a time: what rules that look at other rules ask for.
create index rule_conditions on rule using gin (conditions jsonb_path_ops);
create index rule_recovery_conditions on rule using gin (recovery_conditions jsonb_path_ops) where recovery_conditions is not null;
create index rule_match_ended_at on rule_match (rule_id, expires) where closed is not null;
