-- Since when the conditions of a rule count that need a whole window, by the key of their memory. Null: since its latest change.
alter table rule add column watched_since jsonb;
