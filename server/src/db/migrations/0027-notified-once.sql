-- Which internal reports were mailed: a report that says the same to the same address is mailed once, however often it is asked for.
create table communication_notification (
  work_unit_communication_id bigint not null references work_unit_communication,
  tenant_id uuid not null references tenant,
  -- Digest of the address, the subject and the text.
  content_digest text not null,
  sent timestamptz(3) not null default now(),
  primary key (work_unit_communication_id, content_digest)
);
create index communication_notification_tenant on communication_notification (tenant_id);
select secure_tenant_table('communication_notification');
grant select, insert on communication_notification to app_scoped, app_global;
