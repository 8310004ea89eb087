-- Subscriptions whose receiver is a service with an API: a tracker or a chat. They have a ticket or a message for each unit, and take calls from there.
alter table event_subscription
  add column service text not null default 'CloudEvents',
  -- Where in the service: a repository, a project, a table, a channel.
  add column place text,
  -- Names of secrets of the tenant: what calls there contain, and what signs calls from there.
  add column token_secret text,
  add column signing_secret text,
  -- The type of a new ticket, where a service has several.
  add column item_type text,
  -- Whether each unit gets a ticket or message; else only those whose reference is one.
  add column creates boolean not null default true,
  add column external_only boolean not null default false,
  -- Whether a ticket that is opened again opens its unit again; else a note says so.
  add column reopens boolean not null default true,
  add column last_call timestamptz(3);

create table unit_link (
  unit_link_id uuid not null unique default uuidv7(),
  tenant_id uuid not null references tenant,
  event_subscription_id uuid not null references event_subscription on delete cascade,
  work_unit_id bigint not null,
  service text not null,
  -- The ticket or message, as its service names it in calls and as people read it.
  remote_key text not null,
  name text not null,
  url text,
  remote_state text,
  -- The time there of the latest state: what is older changes nothing.
  remote_at timestamptz(3),
  last_sync timestamptz(3),
  problem text,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1,
  primary key (tenant_id, unit_link_id)
);
create unique index unit_link_key on unit_link (event_subscription_id, remote_key);
create unique index unit_link_unit on unit_link (event_subscription_id, work_unit_id);
create index unit_link_list on unit_link (tenant_id, work_unit_id);
select secure_tenant_table('unit_link');
grant select, insert, update, delete on unit_link to app_scoped, app_global;

-- Calls that services make, so that each is taken once.
create table service_call (
  event_subscription_id uuid not null references event_subscription on delete cascade,
  call_key text not null,
  tenant_id uuid not null references tenant,
  received timestamptz(3) not null default now(),
  primary key (tenant_id, event_subscription_id, call_key)
);
create index service_call_old on service_call (received);
create index service_call_subscription on service_call (event_subscription_id);
select secure_tenant_table('service_call');
grant select, insert, update, delete on service_call to app_scoped, app_global;

create index work_unit_reference on work_unit (tenant_id, reference_url) where reference_url is not null;

-- A change that came from a service is not told to it again: its transaction names the subscription.
grant create on schema public to app_global;
set local role app_global;
create or replace function record_event(tenant uuid, entity_name text, row_key text, done text, event_type text, changed jsonb) returns void
language sql security definer set search_path = public as $$
  with delivery as (
    insert into event_delivery (tenant_id, event_subscription_id, event_id, type, deed, subject, entity_id, changes, correlation_id)
    select tenant, s.event_subscription_id, e.id, event_type, done, entity_name || '/' || row_key, row_key, changed, e.id
    from (select uuidv7() as id) e, event_subscription s
    where s.enabled and s.entity = entity_name
      and case done when 'opened' then s.on_opened when 'state' then s.on_state when 'note' then s.on_note else s.on_changed end
      and s.event_subscription_id::text is distinct from current_setting('cloudfit.event_from', true)
      and (s.tenant_id = tenant or s.tenant_id is null and (s.tenant_group_id is null or exists (
        select from tenant_group g where g.tenant_group_id = s.tenant_group_id and g.tenant_ids ? tenant::text)))
    returning tenant_id, event_delivery_id, correlation_id
  )
  insert into job (name, payload, tenant_id, correlation_id, run_at, created)
  select 'send-event', jsonb_build_object('eventDeliveryId', event_delivery_id), tenant_id, correlation_id,
    date_trunc('milliseconds', now()), date_trunc('milliseconds', now()) from delivery;
$$;
reset role;
revoke create on schema public from app_global;
