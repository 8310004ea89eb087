-- Events for other systems. Triggers write a delivery for each subscription in the transaction of the change, so no change is lost and
-- none is told that was not committed.
create table event_subscription (
  event_subscription_id uuid primary key default uuidv7(),
  tenant_id uuid references tenant,
  tenant_group_id uuid references tenant_group,
  name text not null,
  entity text not null,
  address text not null,
  on_opened boolean not null,
  on_state boolean not null,
  on_changed boolean not null,
  on_note boolean not null,
  filter text,
  format text not null,
  enabled boolean not null,
  paused timestamptz(3),
  problem text,
  failing_since timestamptz(3),
  last_delivered timestamptz(3),
  -- A receiver that answered 429 gets nothing before this time.
  hold_until timestamptz(3),
  secret_hint text not null,
  secret jsonb not null,
  previous_secret jsonb,
  previous_until timestamptz(3),
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create index event_subscription_list on event_subscription (name, event_subscription_id);
create index event_subscription_tenant on event_subscription (tenant_id, name, event_subscription_id);
create index event_subscription_group on event_subscription (tenant_group_id) where tenant_group_id is not null;
select secure_tenant_table('event_subscription');
-- One of several tenants concerns only those who see all of them: its address and answers are the provider's.
alter policy scoped on event_subscription using (tenant_id = any((select caller_tenants())::uuid[]));
grant select, insert, update, delete on event_subscription to app_scoped, app_global;

create table event_delivery (
  event_delivery_id bigint not null unique generated always as identity,
  tenant_id uuid not null references tenant,
  event_subscription_id uuid not null references event_subscription on delete cascade,
  event_id uuid not null,
  type text not null,
  -- What happened: opened, state, changed, note or test.
  deed text not null,
  subject text not null,
  entity_id text not null,
  changes jsonb,
  occurred timestamptz(3) not null default now(),
  status text not null default 'Waiting',
  attempts int not null default 0,
  first_attempt timestamptz(3),
  last_attempt timestamptz(3),
  next_attempt timestamptz(3),
  answer_status int,
  answer text,
  error text,
  duration_ms int,
  body text,
  -- The job that sends it at the moment.
  claimed_by bigint,
  claimed_until timestamptz(3),
  correlation_id uuid not null,
  primary key (tenant_id, event_delivery_id)
);
create index event_delivery_log on event_delivery (event_subscription_id, event_delivery_id desc);
create index event_delivery_tenant on event_delivery (tenant_id, event_delivery_id desc);
create index event_delivery_waiting on event_delivery (event_subscription_id, subject, event_delivery_id) where status = 'Waiting';
create index event_delivery_old on event_delivery (occurred);
select secure_tenant_table('event_delivery');
grant select, insert, update, delete on event_delivery to app_scoped, app_global;

-- Writes the deliveries of one event with their jobs. Its own rights, because whoever changes a row need not see who hears of it.
create function record_event(tenant uuid, entity_name text, row_key text, done text, event_type text, changed jsonb) returns void
language sql security definer set search_path = public as $$
  with delivery as (
    insert into event_delivery (tenant_id, event_subscription_id, event_id, type, deed, subject, entity_id, changes, correlation_id)
    select tenant, s.event_subscription_id, e.id, event_type, done, entity_name || '/' || row_key, row_key, changed, e.id
    from (select uuidv7() as id) e, event_subscription s
    where s.enabled and s.entity = entity_name
      and case done when 'opened' then s.on_opened when 'state' then s.on_state when 'note' then s.on_note else s.on_changed end
      and (s.tenant_id = tenant or s.tenant_id is null and (s.tenant_group_id is null or exists (
        select from tenant_group g where g.tenant_group_id = s.tenant_group_id and g.tenant_ids ? tenant::text)))
    returning tenant_id, event_delivery_id, correlation_id
  )
  insert into job (name, payload, tenant_id, correlation_id, run_at, created)
  select 'send-event', jsonb_build_object('eventDeliveryId', event_delivery_id), tenant_id, correlation_id,
    date_trunc('milliseconds', now()), date_trunc('milliseconds', now()) from delivery;
$$;

-- Whether anybody hears of an entity: what writers ask before they compare rows.
create function has_event_subscribers(entity_name text) returns boolean language sql stable security definer set search_path = public
begin atomic
  select exists (select from event_subscription s where s.entity = entity_name and s.enabled);
end;

grant create on schema public to app_global;
alter function record_event(uuid, text, text, text, text, jsonb) owner to app_global;
alter function has_event_subscribers(text) owner to app_global;
revoke create on schema public from app_global;
revoke all on function record_event(uuid, text, text, text, text, jsonb), has_event_subscribers(text) from public;
grant execute on function record_event(uuid, text, text, text, text, jsonb), has_event_subscribers(text) to app_scoped, app_global;

-- Arguments: the entity, the word in types of events, the column of the key, that of the state, and the columns whose changes are told.
create function tell_event() returns trigger language plpgsql as $$
declare
  was jsonb;
  is_now jsonb;
  changed jsonb;
  done text := 'opened';
begin
  if not has_event_subscribers(tg_argv[0]) then return null; end if;
  is_now := to_jsonb(new);
  if tg_op = 'UPDATE' then
    was := to_jsonb(old);
    select jsonb_object_agg(c, jsonb_build_object('from', was -> c, 'to', is_now -> c)) into changed
      from unnest(tg_argv[4]::text[]) c where was -> c is distinct from is_now -> c;
    if changed is null then return null; end if;
    done := case when changed ? tg_argv[3] then 'state' else 'changed' end;
  end if;
  perform record_event(new.tenant_id, tg_argv[0], is_now ->> tg_argv[2], done, 'cloudfit.' || tg_argv[1] || '.' || done, changed);
  return null;
end $$;

create function tell_note() returns trigger language plpgsql as $$
begin
  if not has_event_subscribers('workUnits') then return null; end if;
  perform record_event(new.tenant_id, 'workUnits', new.work_unit_id::text, 'note', 'cloudfit.workunit.note',
    jsonb_build_object('note', new.work_unit_note_id));
  return null;
end $$;

create trigger event_of_new after insert on work_unit for each row
  execute function tell_event('workUnits', 'workunit', 'work_unit_id', 'state_id', '{}');
create trigger event_of_change after update of title, description, resolution, severity_id, state_id, assigned_to, assignment_group, source, category,
  protocol_id, work_unit_type_id, work_unit_category_id, work_unit_subcategory_id, effort, reference_id, reference_url, internal_work_unit_id,
  stake_holder_full_name, stake_holder_phone_number, stake_holder_email_address, stake_holder_experience_score, planned_start_time,
  planned_finish_time, approved1_by, approved2_by, declined1_by, declined2_by, unanswered_since, snoozed_until, level_warned, level_breached,
  custom_value1, custom_value2, custom_value3, custom_value4, custom_value5,
  custom_value6, custom_value7, custom_value8, custom_value9, custom_value10, custom_value11, custom_value12, custom_value13, custom_value14, custom_value15 on work_unit for each row
  execute function tell_event('workUnits', 'workunit', 'work_unit_id', 'state_id', '{title,description,resolution,severity_id,state_id,assigned_to,assignment_group,source,category,protocol_id,work_unit_type_id,work_unit_category_id,work_unit_subcategory_id,effort,reference_id,reference_url,internal_work_unit_id,stake_holder_full_name,stake_holder_phone_number,stake_holder_email_address,stake_holder_experience_score,planned_start_time,planned_finish_time,approved1_by,approved2_by,declined1_by,declined2_by,unanswered_since,snoozed_until,level_warned,level_breached,custom_value1,custom_value2,custom_value3,custom_value4,custom_value5,custom_value6,custom_value7,custom_value8,custom_value9,custom_value10,custom_value11,custom_value12,custom_value13,custom_value14,custom_value15}');
create trigger event_of_note after insert on work_unit_note for each row when (new.history_type is null) execute function tell_note();

create trigger event_of_new after insert on rule_match for each row
  execute function tell_event('ruleMatches', 'match', 'rule_match_id', 'closed', '{}');
create trigger event_of_end after update of closed on rule_match for each row when (old.closed is null and new.closed is not null)
  execute function tell_event('ruleMatches', 'match', 'rule_match_id', 'closed', '{closed}');

create trigger event_of_new after insert on work_unit_communication for each row
  execute function tell_event('workUnitCommunications', 'communication', 'work_unit_communication_id', 'status', '{}');
create trigger event_of_change after update of title, service_manager, status, details, customer_assistance_required, root_cause, event_started,
  event_engaged, event_mitigated, event_resolved, next_update, next_internal_update, maximum_impact, current_impact, impacted_services, is_public,
  internal_bridge on work_unit_communication for each row
  execute function tell_event('workUnitCommunications', 'communication', 'work_unit_communication_id', 'status', '{title,service_manager,status,details,customer_assistance_required,root_cause,event_started,event_engaged,event_mitigated,event_resolved,next_update,next_internal_update,maximum_impact,current_impact,impacted_services,is_public,internal_bridge}');
