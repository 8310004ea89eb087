-- The file of the folder from which a row was applied, so that a refusal says where to change the row.
alter table managed_row add column file text;
