-- MIBs that people upload: names of SNMP objects for the operations of a tenant's devices.
create table mib (
  mib_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  name text not null,
  module text not null,
  text text not null,
  object_count int not null,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create unique index mib_module on mib (tenant_id, module);
create index mib_list on mib (name, mib_id);
create index mib_tenant on mib (tenant_id, name, mib_id);
select secure_tenant_table('mib');
grant select, insert, update, delete on mib to app_scoped, app_global;
