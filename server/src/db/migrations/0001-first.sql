-- The house's tables. Every table with tenant_id gets the same two policies at the end of this file.

create extension if not exists pg_trgm;

-- Rights only, no login: the server's connections take one of them before any statement.
do $$ begin
  if not exists (select from pg_roles where rolname = 'app_scoped') then create role app_scoped nologin noinherit; end if;
  if not exists (select from pg_roles where rolname = 'app_global') then create role app_global nologin noinherit; end if;
end $$;
do $$ begin
  -- Whoever made the roles may take them; a superuser may in any case.
  if not (pg_has_role(current_user, 'app_scoped', 'set') and pg_has_role(current_user, 'app_global', 'set')) then
    execute format('grant app_scoped, app_global to %I', current_user);
  end if;
end $$;

create table tenant (
  tenant_id uuid primary key default uuidv7(),
  name text not null,
  internal_notification_email_address text,
  assignment_groups text,
  enabled boolean not null default true,
  work_unit_field_def1 jsonb, work_unit_field_def2 jsonb, work_unit_field_def3 jsonb, work_unit_field_def4 jsonb,
  work_unit_field_def5 jsonb, work_unit_field_def6 jsonb, work_unit_field_def7 jsonb, work_unit_field_def8 jsonb,
  work_unit_field_def9 jsonb, work_unit_field_def10 jsonb, work_unit_field_def11 jsonb, work_unit_field_def12 jsonb,
  work_unit_field_def13 jsonb, work_unit_field_def14 jsonb, work_unit_field_def15 jsonb,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create unique index tenant_name on tenant (lower(name));

create table subscription (
  subscription_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  name text not null,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1,
  unique (tenant_id, subscription_id)
);
create unique index subscription_name on subscription (tenant_id, lower(name));

create table location (
  location_id uuid primary key default uuidv7(),
  tenant_id uuid references tenant,
  name text not null,
  address1 text, address2 text, city text, state text, country text, postal_code text, coordinates text,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create index location_tenant on location (tenant_id, name);

create table device (
  device_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  subscription_id uuid not null,
  location_id uuid references location,
  name text not null,
  description text,
  tags text,
  device_type_id int not null default 0,
  operating_system_id int not null default 0,
  device_logging_level_id int not null default 0,
  heartbeat_interval int not null default 60,
  enabled boolean not null default true,
  restart_agent_flag boolean not null default false,
  trace_minutes int not null default 0,
  trace_expiration timestamptz(3),
  is_deleted boolean not null default false,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1,
  foreign key (tenant_id, subscription_id) references subscription (tenant_id, subscription_id)
);
create index device_tenant on device (tenant_id, name, device_id) where not is_deleted;
create index device_subscription on device (subscription_id);
create index device_location on device (location_id);

create table rule (
  rule_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  subscription_id uuid,
  name text not null,
  enabled boolean not null default true,
  description text,
  rule_type_id int not null,
  color text,
  match_lifetime int not null default 300,
  use_sliding_expiration boolean not null default false,
  time_conditions jsonb,
  conditions jsonb not null,
  match_actions jsonb not null default '[]',
  expiration_actions jsonb not null default '[]',
  protocol_id uuid,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1,
  foreign key (tenant_id, subscription_id) references subscription (tenant_id, subscription_id)
);
create index rule_tenant on rule (tenant_id, name, rule_id);

create table rule_match (
  rule_match_id uuid primary key default uuidv7(),
  tenant_id uuid not null,
  rule_id uuid not null,
  subject_id uuid not null,
  label text not null,
  created timestamptz(3) not null default now(),
  expires timestamptz(3) not null,
  closed timestamptz(3),
  match_count int not null default 1,
  first_match timestamptz(3) not null,
  last_match timestamptz(3) not null,
  in_maintenance boolean not null default false,
  completion_processed boolean not null default false,
  rule_packet jsonb not null default '{}',
  correlation_id uuid not null,
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
-- One open match per rule and subject, whatever the number of servers.
create unique index rule_match_open on rule_match (rule_id, subject_id) where closed is null;
create index rule_match_subject on rule_match (subject_id, created desc);
create index rule_match_tenant on rule_match (tenant_id, created desc, rule_match_id);
create index rule_match_due on rule_match (expires) where closed is null;

-- What changed something: hit, miss after a hit, suppressed, failed, late.
create table rule_evaluation (
  tenant_id uuid not null,
  rule_id uuid not null,
  subject_id uuid not null,
  at timestamptz(3) not null default now(),
  packet_timestamp timestamptz(3),
  outcome text not null,
  rule_match_id uuid,
  detail jsonb,
  correlation_id uuid not null
);
create index rule_evaluation_rule on rule_evaluation (rule_id, subject_id, at desc);
create index rule_evaluation_correlation on rule_evaluation (correlation_id);

create table packet (
  tenant_id uuid not null,
  entity_id uuid not null,
  timestamp timestamptz(3) not null,
  received_timestamp timestamptz(3) not null default now(),
  packet_id uuid not null default uuidv7(),
  message jsonb not null
) partition by range (timestamp);
create index packet_entity on packet (entity_id, timestamp desc);

-- A sender's own id of a packet, kept as long as a packet may be late: a repeat is acknowledged, not stored.
create table packet_receipt (
  tenant_id uuid not null,
  entity_id uuid not null,
  message_id text not null,
  received_timestamp timestamptz(3) not null default now(),
  primary key (entity_id, message_id)
);
create index packet_receipt_age on packet_receipt using brin (received_timestamp);

-- rule_state: what occurrence patterns remember of this entity, by rule id.
create table latest_packet (
  entity_id uuid primary key,
  tenant_id uuid not null,
  timestamp timestamptz(3) not null,
  received_timestamp timestamptz(3) not null,
  packet_id uuid not null,
  message jsonb not null,
  rule_state jsonb
) with (fillfactor = 60);
create index latest_packet_tenant on latest_packet (tenant_id);

create table action_definition (
  action_definition_id uuid primary key default uuidv7(),
  tenant_id uuid references tenant,
  name text not null,
  description text,
  action_definition_type_id int not null,
  input_parameters text,
  endpoint_url text,
  http_method text,
  headers text,
  body text,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create index action_definition_tenant on action_definition (tenant_id, name);

-- message_id is derived from the cause, so that one cause queues one execution.
create table action_history (
  action_history_id bigint generated always as identity primary key,
  tenant_id uuid not null,
  action_definition_id uuid not null,
  action_processed timestamptz(3) not null default now(),
  result_status_id int not null,
  input_parameters text not null default '{}',
  result_detail jsonb,
  correlation_id uuid not null,
  reference_id text,
  message_id uuid not null unique
);
create index action_history_tenant on action_history (tenant_id, action_processed desc, action_history_id);
create index action_history_correlation on action_history (correlation_id);
create index action_history_reference on action_history (reference_id);

create table work_unit_type (
  work_unit_type_id bigint primary key,
  name text not null unique
);
insert into work_unit_type values (1, 'Incident'), (2, 'Change Request'), (3, 'Request'), (4, 'Task'), (9, 'Legacy');

create sequence public_work_unit_id start 1001;

create table work_unit (
  work_unit_id bigint generated always as identity primary key,
  public_work_unit_id bigint not null default nextval('public_work_unit_id') unique,
  internal_work_unit_id text,
  tenant_id uuid not null references tenant,
  title text not null,
  description text,
  resolution text,
  severity_id text not null default 'Sev0',
  state_id text not null default 'New',
  assigned_to text,
  assignment_group text,
  source text,
  category text,
  protocol_id uuid,
  work_unit_type_id bigint not null references work_unit_type,
  work_unit_category_id uuid,
  work_unit_subcategory_id uuid,
  effort int,
  reference_id text,
  reference_url text,
  stake_holder_full_name text,
  stake_holder_phone_number text,
  stake_holder_email_address text,
  stake_holder_experience_score text,
  is_spam_call boolean not null default false,
  properties text,
  relations jsonb not null default '[]',
  custom_value1 text, custom_value2 text, custom_value3 text, custom_value4 text, custom_value5 text,
  custom_value6 text, custom_value7 text, custom_value8 text, custom_value9 text, custom_value10 text,
  custom_value11 text, custom_value12 text, custom_value13 text, custom_value14 text, custom_value15 text,
  implementation_plan text, rollback_plan text, affected_resources text, security_considerations text,
  user_impact text, cost_impact text, environment text, expected_cfs_alerts text,
  planned_start_time timestamptz(3), planned_finish_time timestamptz(3), requested_change_window text,
  implementer text, approver1 text, approver2 text,
  is_approver_required boolean not null default true,
  planned_outage boolean,
  approved1_by text, approved2_by text, declined1_by text, declined2_by text,
  decision1_notes text, decision2_notes text,
  created timestamptz(3) not null default now(),
  created_by text not null,
  modified timestamptz(3) not null default now(),
  modified_by text not null,
  resolved timestamptz(3),
  -- The rule and subject that opened it: while their match is open they open no second one.
  opened_by_rule_match_id uuid,
  version int not null default 1
);
create unique index work_unit_opened_by on work_unit (opened_by_rule_match_id) where opened_by_rule_match_id is not null;
-- One index per default sort: of one tenant and of all, each with and without a state.
create index work_unit_list on work_unit (tenant_id, severity_id, created desc, work_unit_id);
create index work_unit_list_tenant_state on work_unit (tenant_id, state_id, severity_id, created desc, work_unit_id);
create index work_unit_list_all on work_unit (severity_id, created desc, work_unit_id);
create index work_unit_list_state on work_unit (state_id, severity_id, created desc, work_unit_id);

create table work_unit_note (
  work_unit_note_id bigint generated always as identity primary key,
  work_unit_id bigint not null references work_unit,
  tenant_id uuid not null,
  detail text not null,
  is_external_note boolean not null default false,
  history_type text,
  history_url text,
  field text,
  old_value text,
  new_value text,
  created timestamptz(3) not null default now(),
  created_by text not null,
  correlation_id uuid not null
);
create index work_unit_note_feed on work_unit_note (work_unit_id, created desc, work_unit_note_id);

create table person (
  person_id uuid primary key default uuidv7(),
  issuer text,
  subject text,
  name text not null,
  user_name text not null,
  email text,
  email_verified boolean not null default false,
  picture text,
  claims text[] not null default '{}',
  enabled boolean not null default true,
  -- The tenant and subscription last chosen in the header: a preference, never part of a decision.
  context_tenant_id uuid,
  context_subscription_id uuid,
  last_sign_in timestamptz(3),
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create unique index person_user_name on person (lower(user_name));
create unique index person_subject on person (issuer, subject);

create table permission_set (
  permission_set_id uuid primary key default uuidv7(),
  tenant_id uuid references tenant,
  name text not null,
  description text,
  permissions jsonb not null,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create unique index permission_set_name on permission_set (tenant_id, lower(name)) nulls not distinct;

create table access_grant (
  grant_id uuid primary key default uuidv7(),
  person_id uuid references person,
  claim text,
  permission_set_id uuid not null references permission_set,
  tenant_id uuid references tenant,
  created timestamptz(3) not null default now(),
  check ((person_id is null) <> (claim is null))
);
create unique index access_grant_once on access_grant (person_id, claim, permission_set_id, tenant_id) nulls not distinct;
create index access_grant_claim on access_grant (claim);

-- Only the SHA-256 of a token is kept. No tenant: good for all (by the command line alone).
create table token_grant (
  token_grant_id uuid primary key default uuidv7(),
  tenant_id uuid references tenant,
  name text not null,
  description text,
  token_hash bytea not null unique,
  token_hint text not null,
  scopes text[] not null default '{agent,ingest}',
  permission_set_id uuid references permission_set,
  lifetime_years int not null default 0,
  expires_on timestamptz(3),
  revoked_on timestamptz(3),
  last_used timestamptz(3),
  created timestamptz(3) not null default now(),
  version int not null default 1
);

create table pending_device (
  pending_device_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  machine_name text not null,
  operating_system text not null,
  architecture text not null,
  ip_address text,
  machine_key uuid not null,
  device_id uuid references device,
  created timestamptz(3) not null default now(),
  last_ping timestamptz(3) not null default now(),
  unique (tenant_id, machine_key)
);

-- Work done later: leased by a worker, swept when the lease runs out, dead after its last try.
create table job (
  job_id bigint generated always as identity primary key,
  name text not null,
  tenant_id uuid,
  payload jsonb not null,
  run_at timestamptz(3) not null default now(),
  attempts int not null default 0,
  leased_until timestamptz(3),
  leased_by text,
  last_error text,
  dead_at timestamptz(3),
  correlation_id uuid not null,
  once_key text unique,
  created timestamptz(3) not null default now()
);
create index job_due on job (run_at, job_id) where dead_at is null;

create table setting (
  name text primary key,
  value jsonb not null
);

-- Append-only: who did what to which row, with the exact before and after.
create table audit (
  audit_id bigint generated always as identity primary key,
  at timestamptz(3) not null default now(),
  tenant_id uuid,
  actor_kind text not null,
  actor_id text,
  actor_name text not null,
  verb text not null,
  entity text not null,
  entity_id text not null,
  before jsonb,
  after jsonb,
  correlation_id uuid not null,
  address text
);
create index audit_entity on audit (entity, entity_id, audit_id);
create index audit_tenant on audit (tenant_id, audit_id);
create index audit_correlation on audit (correlation_id);

-- What live pages and automation read: which row changed, in commit order by xid. Short-lived.
create table change (
  change_id bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  at timestamptz(3) not null default now(),
  tenant_id uuid,
  verb text not null,
  entity text not null,
  entity_id text not null,
  correlation_id uuid not null
);
create index change_xid on change (xid, change_id);

-- Makes the packet partitions from eight days ago to two days ahead and drops those past retention.
create function keep_packet_partitions(retention_days int) returns void language plpgsql security definer set search_path = public as $$
declare day date; part text;
begin
  perform pg_advisory_xact_lock(7401);
  for day in select generate_series(current_date - least(retention_days, 8), current_date + 2, interval '1 day')::date loop
    part := 'packet_' || to_char(day, 'YYYYMMDD');
    if to_regclass(part) is null then
      execute format('create table %I partition of packet for values from (%L) to (%L)', part, day || ' 00:00:00+00', (day + 1) || ' 00:00:00+00');
    end if;
  end loop;
  for part in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'packet'::regclass and c.relname < 'packet_' || to_char(current_date - retention_days, 'YYYYMMDD') loop
    execute format('drop table %I', part);
  end loop;
end $$;
select keep_packet_partitions(30);

-- Tenants of this connection's caller; unset or empty means none, so that a forgotten setting shows nothing.
create function caller_tenants() returns uuid[] language sql stable parallel safe
  return string_to_array(nullif(current_setting('app.tenants', true), ''), ',')::uuid[];

grant usage on schema public to app_scoped, app_global;
grant select, insert, update, delete on all tables in schema public to app_scoped, app_global;
grant usage, select on all sequences in schema public to app_scoped, app_global;
revoke update, delete on audit from app_scoped, app_global;
revoke all on setting from app_scoped;
revoke insert, update, delete on tenant, work_unit_type from app_scoped;
grant insert, update on tenant to app_scoped;
revoke insert, update, delete on work_unit_type from app_global;
grant execute on function keep_packet_partitions(int) to app_global;

-- Built-in actions, global, with the ids of the contract.
insert into action_definition (action_definition_id, name, description, action_definition_type_id, input_parameters) values
  ('0197f000-0000-7000-8000-000000000001', 'Email', 'Sends an email from a template.', 1, 'To,Cc,Bcc,Subject,Body,Template,IsImportant,ExtraParameters'),
  ('0197f000-0000-7000-8000-000000000002', 'Set Color', 'Sets the colour of a block.', 6, 'Color'),
  ('0197f000-0000-7000-8000-000000000003', 'Create Work Unit', 'Opens a work unit linked to the match and its subject.', 6, 'TenantId,ProtocolId,SeverityId');

-- Row-level security, the second wall: scoped callers see their tenants' rows and the global ones, write their own.
-- The sub-select is evaluated once for a statement; the bare function would be for each row.
create function secure_tenant_table(name regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format('alter table %s force row level security', name);
  execute format('create policy scoped on %s to app_scoped using (tenant_id is null or tenant_id = any((select caller_tenants())::uuid[])) with check (tenant_id = any((select caller_tenants())::uuid[]))', name);
  execute format('create policy everything on %s to app_global using (true) with check (true)', name);
end $$;

select secure_tenant_table(c.oid) from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
  and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped);

-- The one setting that everybody may know: it dates the trial licence.
create function first_start() returns text language sql stable security definer set search_path = public as $$
  select value #>> '{}' from setting where name = 'firstStart'
$$;
