-- Texts from which authors begin an update of a communication; without a tenant, for all tenants.
create table communication_template (
  communication_template_id uuid primary key default uuidv7(),
  tenant_id uuid references tenant,
  name text not null,
  detail text not null,
  created timestamptz(3) not null default now(),
  created_by text not null,
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create index communication_template_list on communication_template (name, communication_template_id);
create index communication_template_tenant on communication_template (tenant_id, name, communication_template_id);
select secure_tenant_table('communication_template');
grant select, insert, update, delete on communication_template to app_scoped, app_global;
