-- Who was told about a work unit: a row for each message to one person, beside the execution that sends it.
create table notification (
  notification_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  work_unit_id bigint not null references work_unit on delete cascade,
  -- The execution that sends it, and the execution of the step that caused it.
  message_id uuid not null unique,
  step_message_id uuid not null,
  person_id uuid references person,
  name text not null,
  -- Why this person: on call in a schedule, member of a group ...
  whom text not null,
  channel text not null,
  address text not null,
  -- Which of the person's channels it is.
  turn int not null default 0,
  created timestamptz(3) not null default now()
);
create index notification_unit on notification (work_unit_id, created);
create index notification_step on notification (step_message_id);
create index notification_tenant on notification (tenant_id, created desc, notification_id);
create index notification_list on notification (created desc, notification_id);
create index notification_person on notification (person_id) where person_id is not null;
select secure_tenant_table('notification');
grant select, insert, update, delete on notification to app_scoped, app_global;

create view notification_outcome with (security_invoker = true) as
select n.notification_id, n.tenant_id, n.work_unit_id, n.message_id, n.person_id, n.name, n.whom, n.channel, n.address, n.created, 1 as version,
  case
    when h.result_status_id = 1 then 'Sent'
    when h.result_status_id = 2 then 'Failed'
    when h.result_status_id = 5 then 'Stopped'
    when h.kept_since is not null then 'Kept'
    when h.next_try is not null then 'Retrying'
    when h.result_status_id = 3 then 'Waiting'
    else 'Unknown' end as outcome,
  case when h.result_status_id in (1, 2, 5) then h.action_processed end as ended, h.next_try,
  left(h.result_detail->>'error', 2000) as error
from notification n left join action_history h on h.message_id = n.message_id;
grant select on notification_outcome to app_scoped, app_global;

-- The owner is no reader of all tenants by itself.
set local role app_global;
insert into action_definition (action_definition_id, name, description, action_definition_type_id, input_parameters) values
  ('0197f000-0000-7000-8000-000000000004', 'Notify', 'Tells a person, whoever is on call, a group or the customer, each by their own channels.', 5,
    'Whom,PersonId,ScheduleId,Group,Subject,Body');
reset role;
