-- Mailboxes whose mails open and answer work units. What the reader of a mailbox writes, from `connected` to `leased_until`, changes
-- no version: people edit the rest meanwhile.
create table mailbox (
  mailbox_id uuid not null unique default uuidv7(),
  tenant_id uuid not null references tenant,
  name text not null,
  address text not null,
  enabled boolean not null,
  host text,
  port int not null,
  security text not null,
  user_name text,
  password_secret text,
  folder text not null,
  certificate text,
  work_unit_type_id bigint not null references work_unit_type,
  severity_id text not null,
  work_unit_category_id uuid references work_unit_category,
  unknown_senders text not null,
  sender_limit int not null,
  authserv_id text,
  token_hash bytea not null,
  token_hint text not null,
  connected timestamptz(3),
  problem text,
  last_mail timestamptz(3),
  mails_taken bigint not null default 0,
  mails_held bigint not null default 0,
  mails_refused bigint not null default 0,
  -- How far the folder is read: UIDs count up under one validity.
  uid_validity bigint,
  last_uid bigint not null default 0,
  -- The one process that reads it.
  leased_by text,
  leased_until timestamptz(3),
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1,
  primary key (tenant_id, mailbox_id)
);
create index mailbox_list on mailbox (name, mailbox_id);
create index mailbox_tenant on mailbox (tenant_id, name, mailbox_id);
create index mailbox_category on mailbox (work_unit_category_id) where work_unit_category_id is not null;
create index mailbox_address on mailbox (lower(address));

-- Each mail once, by `mail_key`: what identifies it, so that a second delivery or a killed reader takes it in once.
create table mailbox_mail (
  mailbox_mail_id uuid not null unique default uuidv7(),
  mailbox_id uuid not null references mailbox (mailbox_id) on delete cascade,
  tenant_id uuid not null references tenant,
  mail_key bytea not null,
  message_id text,
  sender text not null,
  sender_name text not null,
  subject text not null,
  sample text not null,
  size int not null,
  checks text,
  outcome text not null,
  reason text,
  message text,
  -- The bytes of a mail that waits or was refused, in the store of uploaded files. Those of a mail that was taken in are a file of its unit.
  storage_name text unique,
  is_whole boolean not null default true,
  work_unit_id bigint references work_unit on delete set null,
  work_unit_note_id bigint,
  received timestamptz(3) not null default now(),
  unique (mailbox_id, mail_key),
  primary key (tenant_id, mailbox_mail_id)
);
create index mailbox_mail_list on mailbox_mail (mailbox_id, received desc);
create index mailbox_mail_tenant on mailbox_mail (tenant_id, message_id);
create index mailbox_mail_old on mailbox_mail (received);
create index mailbox_mail_sender on mailbox_mail (mailbox_id, sender, received);
create index mailbox_mail_unit on mailbox_mail (work_unit_id) where work_unit_id is not null;

-- Mails that were sent about a unit: an answer refers to one by its Message-ID, which begins with this id.
create table unit_mail (
  message_id uuid not null unique,
  tenant_id uuid not null references tenant,
  work_unit_id bigint not null references work_unit on delete cascade,
  mailbox_id uuid references mailbox (mailbox_id) on delete set null,
  recipients text not null,
  subject text not null,
  -- What a person of the desk wrote; else what a program did.
  is_answer boolean not null default false,
  failed text,
  created timestamptz(3) not null default now(),
  primary key (tenant_id, message_id)
);
create index unit_mail_unit on unit_mail (work_unit_id, created);
create index unit_mail_mailbox on unit_mail (mailbox_id) where mailbox_id is not null;

select secure_tenant_table('mailbox'), secure_tenant_table('mailbox_mail'), secure_tenant_table('unit_mail');
grant select, insert, update, delete on mailbox, mailbox_mail, unit_mail to app_scoped, app_global;

-- Of a note that came by mail: its sender, what the checking mail server says of it, and the file of the unit that has the whole mail.
alter table work_unit_note add column mail_from text;
alter table work_unit_note add column mail_checks text;
alter table work_unit_note add column mail_file_id uuid;
