-- Public status pages of tenants. Nobody sees one before it is enabled.
create table status_page (
  status_page_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  title text not null,
  description text,
  address text not null,
  enabled boolean not null default false,
  components jsonb not null default '[]',
  created timestamptz(3) not null default now(),
  created_by text not null default '',
  modified timestamptz(3) not null default now(),
  modified_by text not null default '',
  version int not null default 1
);
create unique index status_page_address on status_page (address);
create index status_page_tenant on status_page (tenant_id, title, status_page_id);
create index status_page_list on status_page (title, status_page_id);
select secure_tenant_table('status_page');
grant select, insert, update, delete on status_page to app_scoped, app_global;

-- Whether a communication is shown on the status pages of its tenant.
alter table work_unit_communication add column is_public boolean not null default false;
create index work_unit_communication_public on work_unit_communication (tenant_id, created desc) where is_public;
