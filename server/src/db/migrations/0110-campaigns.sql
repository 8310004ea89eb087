-- One piece of work on many devices of a tenant.
create table campaign (
  campaign_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  title text not null,
  kind text not null,
  state text not null default 'Running',
  -- Of the catalogue, without references: a campaign does not keep anybody from deleting an operation or a package.
  operation_id uuid,
  label text,
  package_id uuid,
  package_version_id uuid,
  total int not null,
  waiting int not null,
  running int not null default 0,
  done int not null default 0,
  failed int not null default 0,
  stopped int not null default 0,
  created_by text not null,
  -- In whose name the work on each device is done.
  owner_kind text not null,
  owner_id uuid,
  correlation_id uuid not null,
  created timestamptz(3) not null default now(),
  ended timestamptz(3),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create index campaign_tenant on campaign (tenant_id, created desc, campaign_id);
create index campaign_list on campaign (created desc, campaign_id);
create index campaign_open on campaign (campaign_id) where ended is null;
create index campaign_ended on campaign (ended) where ended is not null;
select secure_tenant_table('campaign');
grant select, insert, update, delete on campaign to app_scoped, app_global;

create table campaign_device (
  campaign_device_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  campaign_id uuid not null references campaign on delete cascade,
  device_id uuid not null references device,
  outcome text not null default 'Waiting',
  reason text,
  -- When the work was given to the device; set in the transaction that gives it.
  begun timestamptz(3),
  ended timestamptz(3),
  -- False: somebody else had asked for the same before, so that a stop does not take it back.
  is_own boolean not null default false,
  device_operation_id uuid,
  -- The completion token of the requested run.
  run_id uuid,
  -- The wish of the installation that this campaign has made.
  wish_number int,
  modified timestamptz(3) not null default now(),
  unique (campaign_id, device_id)
);
create index campaign_device_list on campaign_device (campaign_id, campaign_device_id);
create index campaign_device_tenant on campaign_device (tenant_id, campaign_device_id);
create index campaign_device_device on campaign_device (device_id);
create index campaign_device_open on campaign_device (campaign_device_id) where ended is null;
select secure_tenant_table('campaign_device');
grant select, insert, update, delete on campaign_device to app_scoped, app_global;
