-- Dashboards: tiles that people arranged. A private one is shown to its owner alone.
create table dashboard (
  dashboard_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  name text not null,
  sharing text not null default 'Only me',
  tiles jsonb not null default '[]',
  owner_id uuid,
  created_by text not null default '',
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  modified_by text not null default '',
  version int not null default 1
);
create index dashboard_tenant on dashboard (tenant_id, name, dashboard_id);
create index dashboard_list on dashboard (name, dashboard_id);
select secure_tenant_table('dashboard');
grant select, insert, update, delete on dashboard to app_scoped, app_global;
