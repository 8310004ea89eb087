-- The knowledge article that says what to do when the rule matches.
alter table rule add column runbook_id uuid references knowledge_article;
create index rule_runbook on rule (runbook_id) where runbook_id is not null;
