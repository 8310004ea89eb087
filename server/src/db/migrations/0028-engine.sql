-- Sums of rules on many entities are added to their step's row: a row that a batch has left is one to add.
alter table rule_count add column merged boolean not null default false;
drop index rule_count_rule;
create index rule_count_added on rule_count (rule_id, key, step) where not merged;
create unique index rule_count_merged on rule_count (rule_id, key, step, subject_id) where merged;

-- Closed by a later packet before their time was over: few, and found without the open ones.
create index rule_match_closed_unended on rule_match (expires) where not completion_processed and closed is not null;
