-- Who gets the updates of a status page by mail: addresses that were confirmed.
create table status_subscriber (
  status_subscriber_id uuid primary key default uuidv7(),
  status_page_id uuid not null references status_page on delete cascade,
  tenant_id uuid not null references tenant,
  email text not null,
  created timestamptz(3) not null default now(),
  version int not null default 1
);
create unique index status_subscriber_email on status_subscriber (status_page_id, email);
create index status_subscriber_tenant on status_subscriber (tenant_id, email, status_subscriber_id);
create index status_subscriber_list on status_subscriber (email, status_subscriber_id);
select secure_tenant_table('status_subscriber');
grant select, insert, update, delete on status_subscriber to app_scoped, app_global;

-- What the subscribers of a page were told of a communication last. Its unique row keeps two workers from mailing twice.
create table status_told (
  status_page_id uuid not null references status_page on delete cascade,
  work_unit_communication_id bigint not null references work_unit_communication on delete cascade,
  tenant_id uuid not null references tenant,
  status text not null,
  steps bigint[] not null,
  told timestamptz(3) not null default now(),
  primary key (status_page_id, work_unit_communication_id)
);
create index status_told_communication on status_told (work_unit_communication_id);
create index status_told_tenant on status_told (tenant_id);
select secure_tenant_table('status_told');
grant select, insert, update, delete on status_told to app_scoped, app_global;
