-- Publishers whose signatures on packages a tenant trusts; those without a tenant are trusted by all. The key is SPKI in base64.
create table publisher (
  publisher_id uuid primary key default uuidv7(),
  tenant_id uuid references tenant,
  name text not null,
  public_key text not null,
  fingerprint text not null,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create unique index publisher_key on publisher (tenant_id, public_key) nulls not distinct;
create index publisher_list on publisher (name, publisher_id);
create index publisher_tenant on publisher (tenant_id, name, publisher_id);
select secure_tenant_table('publisher');
grant select, insert, update, delete on publisher to app_scoped, app_global;

-- The publisher who has signed a version, as of its upload. Who it was stays known when the key is no longer trusted.
alter table package_version add column publisher_name text;
alter table package_version add column publisher_key text;
alter table package_version add column publisher_signature text;
-- Made by the server itself, as its own packages and the agent's executables are.
alter table package_version add column comes_with_server boolean not null default false;

alter table tenant add column only_trusted_publishers boolean not null default false;

-- The owner is no reader of all tenants by itself.
set local role app_global;
update package_version set comes_with_server = true
where tenant_id is null and (label = 'Built on this server' or package_id in (select package_id from package where is_built_in));
reset role;
