-- Calls that customers have asked for: a queue with a clock.
create table call_back (
  call_back_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  work_unit_id bigint not null references work_unit on delete cascade,
  phone text,
  requested_by text not null,
  created timestamptz(3) not null default now(),
  due timestamptz(3) not null,
  told_times int not null default 0,
  taken_by text,
  taken_at timestamptz(3),
  closed_by text,
  closed_at timestamptz(3),
  outcome text,
  -- When somebody is told of it next; null when nobody is any more.
  look_at timestamptz(3),
  version int not null default 1
);
-- Asking twice makes one call back.
create unique index call_back_open on call_back (work_unit_id) where closed_at is null;
create index call_back_unit on call_back (work_unit_id);
create index call_back_tenant on call_back (tenant_id, due, call_back_id);
create index call_back_look on call_back (look_at) where closed_at is null;
select secure_tenant_table('call_back');
grant select, insert, update, delete on call_back to app_scoped, app_global;

-- Schedules whose people are told of call backs.
alter table on_call_schedule add column takes_call_backs boolean not null default false;

-- Notes that customers write.
alter table work_unit_note add column is_from_customer boolean not null default false;
create or replace view external_note with (security_invoker = true) as
select work_unit_note_id, work_unit_id, tenant_id, detail, created, 1 as version, is_from_customer
from work_unit_note where is_external_note and history_type is null;

-- The person who asked sees until when a call is promised, and that somebody has taken it; whether somebody works on the request, and
-- when the next news is due: by a communication, otherwise by the service level.
create or replace view resolution_center_work_unit with (security_invoker = true) as
select w.work_unit_id, w.public_work_unit_id, w.tenant_id, w.title, w.description, w.reference_url, w.state_id,
  case when w.state_id in ('Resolved', 'Closed', 'Canceled') then 'Done' else 'Active' end as status,
  case when w.state_id in ('Resolved', 'Closed', 'Canceled') then w.resolution end as resolution,
  w.work_unit_type_id, w.work_unit_category_id, w.work_unit_subcategory_id, c.name as service, s.name as need,
  w.stake_holder_full_name, w.stake_holder_phone_number, w.stake_holder_email_address, w.stake_holder_experience_score,
  w.stake_holder_email_key,
  w.created, w.created_by, w.modified, w.resolved, w.version,
  b.due as call_due, b.taken_at as call_taken,
  coalesce(w.assigned_to, w.assignment_group) is not null as is_assigned,
  case when w.state_id not in ('Resolved', 'Closed', 'Canceled') then coalesce(
    (select min(m.next_update) from work_unit_relation r join work_unit_communication m on m.work_unit_communication_id = r.communication_id
      where r.work_unit_id = w.work_unit_id and m.is_public and m.next_update > now()),
    (select k.due_at from work_unit_clock k where k.work_unit_id = w.work_unit_id and k.kind = 'NextUpdate' and k.ended is null)
  ) end as next_update
from work_unit w
left join work_unit_category c on c.work_unit_category_id = w.work_unit_category_id
left join work_unit_subcategory s on s.work_unit_subcategory_id = w.work_unit_subcategory_id
left join call_back b on b.work_unit_id = w.work_unit_id and b.closed_at is null;
