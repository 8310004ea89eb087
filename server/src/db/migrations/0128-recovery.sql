-- When these hold, a match of the rule ends before its lifetime does.
alter table rule add column recovery_conditions jsonb;
alter table rule_match add column recovered timestamptz(3);
