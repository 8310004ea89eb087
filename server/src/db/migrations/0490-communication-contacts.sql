-- Whom a tenant tells of its communications by mail.
create table communication_contact (
  communication_contact_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  name text not null,
  email text not null,
  phone text,
  language text not null,
  kinds text not null,
  minimum_severity text not null,
  active boolean not null,
  unsubscribed timestamptz(3),
  -- The person who subscribed in the resolution center. Their mails end with their rights in the tenant.
  person_id uuid references person,
  created timestamptz(3) not null default now(),
  created_by text not null,
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create unique index communication_contact_email on communication_contact (tenant_id, email);
create unique index communication_contact_person on communication_contact (tenant_id, person_id) where person_id is not null;
create index communication_contact_of_person on communication_contact (person_id) where person_id is not null;
create index communication_contact_tenant on communication_contact (tenant_id, name, communication_contact_id);
create index communication_contact_list on communication_contact (name, communication_contact_id);
select secure_tenant_table('communication_contact');
grant select, insert, update, delete on communication_contact to app_scoped, app_global;

-- The link that ends mails of this kind, so that a mail that waited has it too.
alter table outbox_message add column unsubscribe text;
