-- When somebody last got a message: between two of them passes a minute.
create table message_turn (
  -- A mail address in lower case, or the id of a person.
  recipient text primary key,
  message_id uuid not null,
  taken timestamptz(3) not null
);
create index message_turn_taken on message_turn (taken);
grant select, insert, update, delete on message_turn to app_scoped, app_global;

-- A mail that waits for its recipient's turn, and goes out with the others that wait.
create table waiting_mail (
  message_id uuid primary key,
  tenant_id uuid not null references tenant,
  recipient text not null,
  created timestamptz(3) not null default now()
);
create index waiting_mail_recipient on waiting_mail (tenant_id, recipient, created);
create index waiting_mail_created on waiting_mail (created);
select secure_tenant_table('waiting_mail');
grant select, insert, update, delete on waiting_mail to app_scoped, app_global;
