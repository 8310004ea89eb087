-- Where a secret may be used: hosts with commas between, and ids of action definitions. Null: everywhere, as before.
alter table tenant_secret add column allowed_hosts text;
alter table tenant_secret add column allowed_actions jsonb;
