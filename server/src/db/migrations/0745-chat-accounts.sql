-- Users of chats whom people have named as themselves. Until then the row has the hash of the link that the chat has given to the user.
create table chat_account (
  chat_account_id uuid not null unique default uuidv7(),
  tenant_id uuid not null references tenant,
  service text not null,
  workspace text not null,
  user_key text not null,
  workspace_name text not null,
  user_name text not null,
  email text,
  person_id uuid references person on delete cascade,
  connected timestamptz(3) not null default now(),
  token_hash bytea,
  expires timestamptz(3),
  primary key (tenant_id, chat_account_id),
  unique (tenant_id, service, workspace, user_key)
);
create index chat_account_person on chat_account (person_id) where person_id is not null;
create index chat_account_link on chat_account (token_hash) where token_hash is not null;
create index chat_account_expires on chat_account (expires) where person_id is null;
select secure_tenant_table('chat_account');
grant select, insert, update, delete on chat_account to app_scoped, app_global;
