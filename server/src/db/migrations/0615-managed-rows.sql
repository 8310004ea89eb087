-- Rows of the configuration that were applied from a folder of files; protected ones change by applying it only.
create table managed_row (
  tenant_id uuid,
  resource text not null,
  row_key text not null,
  source text not null,
  note text,
  is_protected boolean not null,
  applied timestamptz(3) not null default now(),
  primary key (resource, row_key)
);
create index managed_row_source on managed_row (source);
select secure_tenant_table('managed_row');
grant select on managed_row to app_scoped;
grant select, insert, update, delete on managed_row to app_global;
