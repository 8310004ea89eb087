-- Blocks, protocols and compliance, and what the lists of automation need.

-- For the version 5 ids of heartbeat blocks.
create extension if not exists pgcrypto;

-- UUID version 5 of 'heartbeat' within the device's id.
create function heartbeat_block_id(device uuid) returns uuid language sql immutable strict parallel safe as $$
  select encode(set_byte(set_byte(substring(h from 1 for 16), 6, (get_byte(h, 6) & 15) | 80), 8, (get_byte(h, 8) & 63) | 128), 'hex')::uuid
  from (select digest(uuid_send(device) || 'heartbeat'::bytea, 'sha1') as h) hashed
$$;

-- A tile over one entity: over itself, or over the device whose heartbeat it shows.
create table block (
  block_id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references tenant,
  subscription_id uuid not null,
  device_id uuid unique references device,
  entity_id uuid not null generated always as (coalesce(device_id, block_id)) stored,
  name text not null,
  description text,
  block_type_id int not null,
  entity_color jsonb not null default '{"color": "grey"}',
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1,
  foreign key (tenant_id, subscription_id) references subscription (tenant_id, subscription_id)
);
create unique index block_entity on block (entity_id);
create index block_list on block (name, block_id);
create index block_tenant on block (tenant_id, name, block_id);
create index block_subscription on block (subscription_id, name, block_id);

create table block_log (
  log_entry_id bigint generated always as identity primary key,
  block_id uuid not null references block on delete cascade,
  tenant_id uuid not null,
  detail text not null,
  created timestamptz(3) not null default now(),
  created_by text not null,
  correlation_id uuid not null
);
create index block_log_feed on block_log (block_id, created desc, log_entry_id);

-- A run book bound to work units; without a tenant it is for all.
create table protocol (
  protocol_id uuid primary key default uuidv7(),
  tenant_id uuid references tenant,
  name text not null,
  description text,
  timer_inverval int not null default 600,
  manual_actions text,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  modified_by text not null,
  version int not null default 1
);
create index protocol_list on protocol (name, protocol_id);
create index protocol_tenant on protocol (tenant_id, name, protocol_id);

create table protocol_action (
  protocol_action_id uuid primary key default uuidv7(),
  protocol_id uuid not null references protocol,
  tenant_id uuid references tenant,
  action_definition_id uuid not null references action_definition,
  work_unit_event_type_id int not null,
  parameters text not null default '{}',
  sequence int not null default 0,
  summary text,
  run_automatically boolean not null default false,
  repeatable boolean not null default false,
  created timestamptz(3) not null default now(),
  created_by text not null,
  modified timestamptz(3) not null default now(),
  modified_by text not null,
  version int not null default 1
);
create index protocol_action_list on protocol_action (sequence, protocol_action_id);
create index protocol_action_protocol on protocol_action (protocol_id, sequence, protocol_action_id);
create index protocol_action_tenant on protocol_action (tenant_id);
create index protocol_action_definition on protocol_action (action_definition_id);

-- Row-level security holds the owner too, who may be nobody special: rows are read and changed as the house does.
set local role app_global;
-- No protocol existed before, so whatever stands there names none.
update rule set protocol_id = null where protocol_id is not null;
update work_unit set protocol_id = null where protocol_id is not null;
update action_definition set input_parameters = 'Color,BlockId', description = 'Sets the colour of a block: of the named one, or of the subject.'
where action_definition_id = '0197f000-0000-7000-8000-000000000002';
reset role;
alter table rule add foreign key (protocol_id) references protocol;
alter table work_unit add foreign key (protocol_id) references protocol;
create index rule_protocol on rule (protocol_id) where protocol_id is not null;
create index work_unit_protocol on work_unit (protocol_id) where protocol_id is not null;

-- Catalogs are the installation's; what a tenant says about them is its own.
create table control_set (
  id uuid primary key default uuidv7(),
  name text not null,
  description text,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create unique index control_set_name on control_set (lower(name));

create table control (
  id uuid primary key default uuidv7(),
  control_set_id uuid not null references control_set,
  name text not null,
  title text not null,
  description text,
  position int not null,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1,
  unique (control_set_id, name)
);
create index control_list on control (control_set_id, position, id);
create index control_position on control (position, id);

-- check_date is the Monday, at midnight UTC, of the week that the status is about.
create table control_status (
  id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  control_id uuid not null references control,
  check_date timestamptz(3) not null check (extract(isodow from check_date at time zone 'UTC') = 1),
  status text not null default 'Notset',
  notes text,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  modified_by text not null,
  version int not null default 1,
  constraint control_status_once unique (control_id, tenant_id, check_date)
);
create index control_status_list on control_status (check_date desc, id);
create index control_status_tenant on control_status (tenant_id, check_date desc, id);

-- Of an execution that a work unit's protocol caused.
alter table action_history add column work_unit_id bigint, add column protocol_action_id uuid;
create index action_history_work_unit on action_history (work_unit_id, action_processed desc, action_history_id) where work_unit_id is not null;
create index action_history_list on action_history (action_processed desc, action_history_id);
create index action_history_definition on action_history (action_definition_id, action_processed desc, action_history_id);
-- People look for a protocol action's id in it.
create index action_history_parameters on action_history using gin (input_parameters gin_trgm_ops);

create index rule_match_list on rule_match (created desc, rule_match_id);
create index rule_match_rule on rule_match (rule_id, created desc, rule_match_id);
create index rule_list on rule (name, rule_id);
create index rule_subscription on rule (subscription_id, name, rule_id);
-- Which rules run an action.
create index rule_match_actions on rule using gin (match_actions jsonb_path_ops);
create index rule_expiration_actions on rule using gin (expiration_actions jsonb_path_ops);
create index action_definition_list on action_definition (name, action_definition_id);
create index outbox_message_list on outbox_message (created desc, outbox_message_id);
create index job_list on job (created desc, job_id);
create index job_dead on job (dead_at desc, job_id) where dead_at is not null;

select secure_tenant_table('block');
select secure_tenant_table('block_log');
select secure_tenant_table('protocol');
select secure_tenant_table('protocol_action');
select secure_tenant_table('control_status');
grant select, insert, update, delete on block, block_log, protocol, protocol_action, control_status to app_scoped, app_global;
grant select on control_set, control to app_scoped;
grant select, insert, update, delete on control_set, control to app_global;

set local role app_global;
insert into block (block_id, tenant_id, subscription_id, device_id, name, block_type_id)
select heartbeat_block_id(device_id), tenant_id, subscription_id, device_id, name, 8 from device where not is_deleted;
reset role;
