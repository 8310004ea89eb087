-- On how many devices each version of a package was installed, day by day (UTC). Only rows of the current day are written.
-- The name stands here because a package can be deleted later.
create table version_day (
  tenant_id uuid not null references tenant,
  day date not null,
  package_id uuid not null,
  package_name text not null,
  version text not null,
  devices int not null,
  primary key (tenant_id, day, package_id, version)
);
create index version_day_package on version_day (package_id, day);
select secure_tenant_table('version_day');
grant select, insert, update, delete on version_day to app_scoped, app_global;
