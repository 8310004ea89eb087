-- The actions of one phase of a match run one after the other: the execution that this one waits for.
alter table action_history add column follows uuid;
create index action_history_follows on action_history (follows) where follows is not null;
