-- Packages and their versions, operations, what runs and is installed on devices, device logs.

-- operating_system_rids_id is the sum of the operating systems' ids; 0 stands for any.
create table package (
  package_id uuid primary key default uuidv7(),
  tenant_id uuid references tenant,
  name text not null,
  description text,
  package_type_id int not null,
  executable_name text,
  executable_type_id int not null,
  reference_url text,
  operating_system_rids_id int not null default 0 check (operating_system_rids_id between 0 and 7),
  parameter_definitions jsonb not null default '[]',
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create unique index package_name on package (tenant_id, lower(name)) nulls not distinct;
create index package_list on package (name, package_id);
create index package_tenant on package (tenant_id, name, package_id);

-- precedence orders versions by the rules of SemVer 2; the row of a package is locked while its versions' statuses change.
-- Deferred, because the package goes first when both go.
create table package_version (
  package_version_id uuid primary key default uuidv7(),
  package_id uuid not null references package deferrable initially deferred,
  tenant_id uuid references tenant,
  version text not null,
  precedence text collate "C" not null,
  label text not null,
  package_version_status_id int not null check (package_version_status_id in (1, 2, 3)),
  operating_system_rids_id int not null,
  executable_name text not null,
  file_name text not null,
  file_size bigint not null,
  sha256 text not null,
  manifest jsonb not null,
  storage_name text not null unique,
  created timestamptz(3) not null default now(),
  created_by text not null,
  unique (package_id, version)
);
create unique index package_version_latest on package_version (package_id) where package_version_status_id = 1;
create index package_version_newest on package_version (package_id, precedence desc);
create index package_version_list on package_version (created desc, package_version_id);
create index package_version_tenant on package_version (tenant_id, created desc, package_version_id);

-- An operation that is deleted outlives its package: device operations that are deleted too still name it.
create table operation (
  operation_id uuid primary key default uuidv7(),
  tenant_id uuid references tenant,
  package_id uuid references package deferrable initially deferred,
  name text not null,
  description text,
  parameter_definitions jsonb not null default '[]',
  frequency_definitions jsonb not null,
  default_interval int not null default 300,
  operation_type_id int not null default 0,
  operation_result_type_id int not null default 1,
  is_deleted boolean not null default false,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create unique index operation_name on operation (package_id, lower(name)) where not is_deleted;
create index operation_list on operation (name, operation_id) where not is_deleted;
create index operation_tenant on operation (tenant_id, name, operation_id) where not is_deleted;
create index operation_package on operation (package_id);

-- The package_* and operation_type columns are copies, kept true by whoever changes the package.
create table device_operation (
  device_operation_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  device_id uuid not null references device,
  operation_id uuid not null references operation,
  label text not null,
  reference_id text,
  global_setting_id text,
  enabled boolean not null default false,
  operation_complete boolean not null default false,
  completion_token uuid,
  frequency_type_id int not null,
  interval int not null default 300,
  parameters jsonb not null default '[]',
  is_interactive boolean not null default false,
  is_deleted boolean not null default false,
  package_name text not null,
  package_type text not null,
  package_executable_type text not null,
  operation_type text not null,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create index device_operation_device on device_operation (device_id, label, device_operation_id) where not is_deleted;
create index device_operation_list on device_operation (label, device_operation_id) where not is_deleted;
create index device_operation_tenant on device_operation (tenant_id, label, device_operation_id) where not is_deleted;
create index device_operation_operation on device_operation (operation_id);

-- package_version_id is what should be installed (null: nothing), installed_version_id what the agent said is.
create table device_installation (
  device_installation_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  device_id uuid not null references device,
  package_id uuid not null references package,
  package_version_id uuid references package_version,
  installed_version_id uuid references package_version,
  install_status text not null,
  status_detail text,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1,
  unique (device_id, package_id)
);
create index device_installation_list on device_installation (created desc, device_installation_id);
create index device_installation_tenant on device_installation (tenant_id, created desc, device_installation_id);
create index device_installation_package on device_installation (package_id);
create index device_installation_wanted on device_installation (package_version_id);
create index device_installation_installed on device_installation (installed_version_id);

-- What a device, or one of its operations, has to tell; kept as long as packets.
create table device_log (
  log_entry_id bigint generated always as identity primary key,
  tenant_id uuid not null references tenant,
  device_id uuid not null references device,
  device_operation_id uuid references device_operation,
  created timestamptz(3) not null default now(),
  entry_type text not null,
  detail text not null
);
create index device_log_device on device_log (device_id, created desc, log_entry_id);
create index device_log_operation on device_log (device_operation_id, created desc, log_entry_id) where device_operation_id is not null;
create index device_log_list on device_log (created desc, log_entry_id);
create index device_log_tenant on device_log (tenant_id, created desc, log_entry_id);

-- Counts what the agent's configuration holds besides the device's own row.
alter table device add column operations_version int not null default 0;
create index device_list on device (name, device_id) where not is_deleted;
create index device_name_search on device using gin (lower(name) gin_trgm_ops);

alter table pending_device add column modified timestamptz(3) not null default now();
create index pending_device_list on pending_device (created desc, pending_device_id) where device_id is null;
create index pending_device_tenant on pending_device (tenant_id, created desc, pending_device_id) where device_id is null;
create index pending_device_device on pending_device (device_id);

select secure_tenant_table(t) from unnest(array['package', 'package_version', 'operation', 'device_operation', 'device_installation', 'device_log']::regclass[]) as t;
grant select, insert, update, delete on package, package_version, operation, device_operation, device_installation, device_log to app_scoped, app_global;

-- A row per device and installed package. Each device has its own latest version: the newest release for its operating system.
create view compliance_report with (security_invoker = true) as
select i.device_installation_id as compliance_report_id, d.device_id, d.name as device_name, d.tenant_id, t.name as tenant_name,
  d.subscription_id, s.name as subscription_name, p.package_id, p.name as package_name,
  case when newest.precedence > v.precedence then 'Outdated' else 'Current' end as version_status,
  coalesce(newest.precedence <= v.precedence, true) as is_compliant,
  v.version as installed_version, v.created as installed_version_released,
  newest.version as latest_version, newest.created as latest_version_released
from device_installation i
join device d on d.device_id = i.device_id and not d.is_deleted
join tenant t on t.tenant_id = d.tenant_id
join subscription s on s.subscription_id = d.subscription_id
join package p on p.package_id = i.package_id
join package_version v on v.package_version_id = i.installed_version_id
left join lateral (
  select n.version, n.precedence, n.created from package_version n
  where n.package_id = i.package_id and n.package_version_status_id <> 3
    and (n.operating_system_rids_id in (0, 7) or n.operating_system_rids_id & d.operating_system_id <> 0)
  order by n.precedence desc limit 1
) newest on true;
grant select on compliance_report to app_scoped, app_global;
