-- Selections: saved filters over devices, with the devices that are in them.
create table device_selection (
  device_selection_id uuid primary key default uuidv7(),
  tenant_id uuid references tenant,
  tenant_group_id uuid references tenant_group,
  name text not null,
  description text,
  filter text not null,
  problem text,
  -- Whether the members must be determined anew, because an attempt to follow a change has failed.
  is_stale boolean not null default false,
  created timestamptz(3) not null default now(),
  created_by text not null,
  modified timestamptz(3) not null default now(),
  modified_by text not null,
  version int not null default 1
);
create index device_selection_list on device_selection (name, device_selection_id);
create index device_selection_tenant on device_selection (tenant_id, name, device_selection_id);
create index device_selection_group on device_selection (tenant_group_id) where tenant_group_id is not null;
select secure_tenant_table('device_selection');
alter policy scoped on device_selection using (case
  when tenant_id = any((select caller_tenants())::uuid[]) then true
  when tenant_id is not null then false
  when tenant_group_id is null then true
  else exists (select from tenant_group g where g.tenant_group_id = device_selection.tenant_group_id) end);
grant select, insert, update, delete on device_selection to app_scoped, app_global;

create table selection_member (
  selection_member_id uuid not null unique default uuidv7(),
  tenant_id uuid not null references tenant,
  device_selection_id uuid not null references device_selection on delete cascade,
  device_id uuid not null references device on delete cascade,
  since timestamptz(3) not null default now(),
  primary key (tenant_id, selection_member_id)
);
create unique index selection_member_once on selection_member (device_selection_id, device_id);
create index selection_member_device on selection_member (device_id, device_selection_id);
create index selection_member_list on selection_member (since, selection_member_id);
create index selection_member_tenant on selection_member (tenant_id, since, selection_member_id);
select secure_tenant_table('selection_member');
grant select, insert, update, delete on selection_member to app_scoped, app_global;

-- Up to which change the members have followed.
create table selection_watch (
  is_only boolean primary key default true check (is_only),
  seen pg_snapshot not null,
  seen_at timestamptz(3) not null default now()
);
insert into selection_watch (seen) values (pg_current_snapshot());
grant select, update on selection_watch to app_global;

-- The changes of these entities that a snapshot did not include.
create function changes_since(entities text[], seen pg_snapshot) returns table (entity text, entity_id text)
language plpgsql stable set search_path = public set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
begin
  return query select distinct c.entity, c.entity_id from change c
    where c.entity = any(entities) and c.xid >= pg_snapshot_xmin(seen) and not pg_visible_in_snapshot(c.xid, seen);
end $$;
revoke execute on function changes_since(text[], pg_snapshot) from public;
grant execute on function changes_since(text[], pg_snapshot) to app_global;

-- Policies: what devices of a selection should have.
create table device_policy (
  policy_id uuid primary key default uuidv7(),
  tenant_id uuid references tenant,
  tenant_group_id uuid references tenant_group,
  -- Null only for a deleted policy whose selection was deleted too.
  device_selection_id uuid references device_selection,
  name text not null,
  description text,
  enabled boolean not null default true,
  rank int not null default 100,
  operations jsonb not null default '[]',
  packages jsonb not null default '[]',
  tags text,
  heartbeat_interval int,
  rule_values text,
  forbids_others boolean not null default false,
  on_leave text not null default 'Remove',
  is_deleted boolean not null default false,
  created timestamptz(3) not null default now(),
  created_by text not null,
  modified timestamptz(3) not null default now(),
  modified_by text not null,
  version int not null default 1
);
create index device_policy_list on device_policy (rank, name, policy_id);
create index device_policy_tenant on device_policy (tenant_id, rank, name, policy_id);
create index device_policy_selection on device_policy (device_selection_id);
create index device_policy_group on device_policy (tenant_group_id) where tenant_group_id is not null;
select secure_tenant_table('device_policy');
alter policy scoped on device_policy using (case
  when tenant_id = any((select caller_tenants())::uuid[]) then true
  when tenant_id is not null then false
  when tenant_group_id is null then true
  else exists (select from tenant_group g where g.tenant_group_id = device_policy.tenant_group_id) end);
grant select, insert, update, delete on device_policy to app_scoped, app_global;

-- What a device has from which policy.
create table policy_item (
  policy_item_id uuid not null unique default uuidv7(),
  tenant_id uuid not null references tenant,
  policy_id uuid not null references device_policy,
  device_id uuid not null references device on delete cascade,
  kind text not null,
  key text not null,
  label text not null,
  -- What was set, and what the device had before: null for nothing.
  value jsonb not null,
  had jsonb,
  device_operation_id uuid,
  on_leave text not null,
  state text not null,
  detail text,
  since timestamptz(3) not null default now(),
  mended int not null default 0,
  mended_on timestamptz(3),
  primary key (tenant_id, policy_item_id)
);
create unique index policy_item_once on policy_item (device_id, key);
create index policy_item_policy on policy_item (policy_id, device_id);
create index policy_item_list on policy_item (since, policy_item_id);
create index policy_item_tenant on policy_item (tenant_id, since, policy_item_id);
select secure_tenant_table('policy_item');
grant select, insert, update, delete on policy_item to app_scoped, app_global;

-- Devices that must be compared with their policies. `number` counts the requests, so that one that comes meanwhile is not lost.
create table policy_check (
  device_id uuid not null unique references device on delete cascade,
  tenant_id uuid not null references tenant,
  number bigint not null default 1,
  due timestamptz(3) not null default now(),
  attempts int not null default 0,
  problem text,
  primary key (tenant_id, device_id)
);
create index policy_check_due on policy_check (due);
create index policy_check_tenant on policy_check (tenant_id, due, device_id);
select secure_tenant_table('policy_check');
grant select, insert, update, delete on policy_check to app_scoped, app_global;
