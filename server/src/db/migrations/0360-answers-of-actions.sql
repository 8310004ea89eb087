-- By which answers a receiver says that it has the message of an action; null: by any status from 200 to 299.
alter table action_definition
  add column success_statuses text,
  add column success_text text,
  add column success_field text,
  add column success_value text;
