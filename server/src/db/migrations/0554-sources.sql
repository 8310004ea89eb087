-- Sources: programs of others that report in their own formats. The counts are written by `server/src/intake/counts.ts`.
create table intake_source (
  source_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  subscription_id uuid not null,
  name text not null,
  kind text not null,
  enabled boolean not null,
  opens_units boolean not null,
  unknown_entities text not null,
  entity_cap int not null,
  entities_made int not null default 0,
  device_name text,
  block_name text,
  mapping text,
  clock text not null,
  token_hash bytea not null,
  token_hint text not null,
  last_data timestamptz(3),
  per_minute double precision not null default 0,
  per_hour bigint not null generated always as (round(per_minute * 60)) stored,
  packets_stored bigint not null default 0,
  packets_refused bigint not null default 0,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1,
  foreign key (tenant_id, subscription_id) references subscription (tenant_id, subscription_id)
);
create index intake_source_list on intake_source (name, source_id);
create index intake_source_tenant on intake_source (tenant_id, name, source_id);
create index intake_source_subscription on intake_source (subscription_id);

-- The devices and blocks that a source has made, and those that wait, by the names that it sends: they keep their packets when somebody
-- renames them.
create table source_entity (
  source_id uuid not null references intake_source on delete cascade,
  tenant_id uuid not null references tenant,
  kind text not null check (kind in ('device', 'block')),
  name text not null,
  device_id uuid references device on delete cascade,
  block_id uuid references block on delete cascade,
  pending_device_id uuid references pending_device on delete cascade,
  created timestamptz(3) not null default now(),
  primary key (source_id, kind, name)
);
create index source_entity_tenant on source_entity (tenant_id);
create index source_entity_device on source_entity (device_id) where device_id is not null;
create index source_entity_block on source_entity (block_id) where block_id is not null;
create index source_entity_pending on source_entity (pending_device_id) where pending_device_id is not null;

-- The last reasons for refusals of a source, each with one sample.
create table source_refusal (
  source_id uuid not null references intake_source on delete cascade,
  tenant_id uuid not null references tenant,
  code text not null,
  message text not null,
  sample text not null,
  count bigint not null,
  first timestamptz(3) not null default now(),
  last timestamptz(3) not null default now(),
  primary key (source_id, code)
);
create index source_refusal_tenant on source_refusal (tenant_id);

select secure_tenant_table('intake_source'), secure_tenant_table('source_entity'), secure_tenant_table('source_refusal');
grant select, insert, update, delete on intake_source, source_entity, source_refusal to app_scoped, app_global;
