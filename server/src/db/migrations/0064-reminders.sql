-- An update of a communication that was due and of which somebody was reminded: once for each due time.
create table communication_reminder (
  work_unit_communication_id bigint not null references work_unit_communication on delete cascade,
  tenant_id uuid not null references tenant,
  field text not null,
  due timestamptz(3) not null,
  created timestamptz(3) not null default now(),
  primary key (work_unit_communication_id, field, due)
);
create index communication_reminder_tenant on communication_reminder (tenant_id);
select secure_tenant_table('communication_reminder');
grant select, insert, delete on communication_reminder to app_scoped, app_global;
create index work_unit_communication_due on work_unit_communication (least(next_update, next_internal_update)) where status not in ('Cancelled', 'Resolved');
