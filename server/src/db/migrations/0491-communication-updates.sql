-- What customers were told of a communication, as it was published.
create table communication_update (
  communication_update_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  work_unit_communication_id bigint not null references work_unit_communication on delete cascade,
  -- The step by which status pages and reports show the update; subscribers of a page who got it are not mailed twice.
  work_unit_communication_activity_id bigint references work_unit_communication_activity on delete set null,
  status text not null,
  detail text not null,
  next_update timestamptz(3),
  created timestamptz(3) not null default now(),
  created_by text not null,
  version int not null default 1
);
create index communication_update_of on communication_update (work_unit_communication_id, created desc);
create index communication_update_activity on communication_update (work_unit_communication_activity_id) where work_unit_communication_activity_id is not null;
create index communication_update_tenant on communication_update (tenant_id, created desc, communication_update_id);
create index communication_update_list on communication_update (created desc, communication_update_id);
select secure_tenant_table('communication_update');
grant select, insert, update, delete on communication_update to app_scoped, app_global;

-- The mail of an update to one address. Its unique row keeps two calls from mailing twice.
create table communication_mail (
  communication_mail_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  work_unit_communication_id bigint not null references work_unit_communication on delete cascade,
  communication_update_id uuid not null references communication_update on delete cascade,
  communication_contact_id uuid references communication_contact on delete set null,
  name text not null,
  email text not null,
  subject text not null,
  body text not null,
  state text not null,
  reason text,
  message_id uuid not null,
  sent timestamptz(3),
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1,
  unique (communication_update_id, email)
);
create unique index communication_mail_message on communication_mail (message_id);
create index communication_mail_contact on communication_mail (communication_contact_id) where communication_contact_id is not null;
create index communication_mail_of on communication_mail (work_unit_communication_id);
create index communication_mail_tenant on communication_mail (tenant_id, name, communication_mail_id);
create index communication_mail_list on communication_mail (name, communication_mail_id);
select secure_tenant_table('communication_mail');
grant select, insert, update, delete on communication_mail to app_scoped, app_global;
