-- How people are notified: their browsers, their order of channels, and their quiet hours.
create table push_subscription (
  push_subscription_id uuid primary key default uuidv7(),
  person_id uuid not null references person,
  -- The address at the browser's push service, and the keys with which only that browser reads a message.
  endpoint text not null unique,
  p256dh text not null,
  auth text not null,
  browser text not null,
  -- The sign-in in which it was made: it ends with that one.
  session_id text,
  created timestamptz(3) not null default now(),
  last_sent timestamptz(3)
);
create index push_subscription_person on push_subscription (person_id, created);
create index push_subscription_session on push_subscription (session_id) where session_id is not null;

create table notification_preference (
  person_id uuid primary key references person,
  phone text,
  time_zone text not null,
  steps jsonb not null,
  quiet_hours jsonb not null,
  urgent jsonb not null,
  modified timestamptz(3) not null default now(),
  modified_by text not null
);
-- Of people, who are nobody's tenant: each statement names the person.
grant select, insert, update, delete on push_subscription, notification_preference to app_scoped, app_global;

-- The action that sends texts to the phones of people.
alter table action_definition add column sends_sms boolean not null default false;

alter table notification
  -- When its message goes out; null: at once.
  add column due timestamptz(3),
  -- A message that waits with others for one summary: until when, why, and the severities that end the wait.
  add column held_until timestamptz(3),
  add column held_because text,
  add column held_unless jsonb,
  add column released timestamptz(3),
  -- The execution that told of it after the wait, and why none did.
  add column told_by uuid,
  add column problem text;
create index notification_held on notification (held_until) where held_until is not null and released is null;

create or replace view notification_outcome with (security_invoker = true) as
select n.notification_id, n.tenant_id, n.work_unit_id, n.message_id, n.person_id, n.name, n.whom, n.channel, n.address, n.created, 1 as version,
  case
    when n.problem is not null then 'Failed'
    when n.held_until is not null and n.released is null then 'Held'
    when h.result_status_id = 1 then 'Sent'
    when h.result_status_id = 2 then 'Failed'
    when h.result_status_id = 5 then 'Stopped'
    when h.kept_since is not null then 'Kept'
    when h.next_try is not null then 'Retrying'
    when h.result_status_id = 3 then 'Waiting'
    else 'Unknown' end as outcome,
  case when n.problem is not null then n.released when h.result_status_id in (1, 2, 5) then h.action_processed end::timestamptz as ended,
  case when n.held_until is not null and n.released is null then n.held_until when h.result_status_id = 3 then coalesce(h.next_try, n.due) end::timestamptz(3) as next_try,
  coalesce(n.problem, left(h.result_detail->>'error', 2000)) as error, n.held_because
from notification n left join action_history h on h.message_id = coalesce(n.told_by, n.message_id);
