-- The address at which an action is asked for what an earlier try has made, before it sends again.
alter table action_definition add column look_back_address text;
