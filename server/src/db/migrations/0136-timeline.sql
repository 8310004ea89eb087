-- A protocol as a timeline: steps that wait, repeat, depend on the unit and on hours, and stop when somebody has acted.
alter table protocol_action
  -- Seconds after the event. Null: after the step before.
  add column wait int,
  add column repeat_every int,
  add column repeat_times int,
  add column stop_when text not null default 'Acknowledged',
  add column only_states jsonb not null default '[]',
  add column only_severities jsonb not null default '[]',
  add column hours text not null default 'Any',
  add column hours_schedule_id uuid;
create index protocol_action_hours_schedule on protocol_action (hours_schedule_id) where hours_schedule_id is not null;

-- A step of one event that waits for its time, until it has run for the last time or was ended.
create table planned_step (
  planned_step_id uuid primary key default uuidv7(),
  event_id uuid not null,
  protocol_action_id uuid not null,
  tenant_id uuid not null references tenant,
  work_unit_id bigint not null references work_unit on delete cascade,
  protocol_id uuid not null,
  work_unit_event_type_id int not null,
  -- The state of the unit at the event.
  event_state_id text not null,
  name text not null,
  sequence int not null,
  due timestamptz(3) not null,
  -- Seconds from one run to the next, and how many runs are left after the next one.
  repeat_every int,
  runs_left int not null default 0,
  runs int not null default 0,
  stop_when text not null,
  detail jsonb not null default '{}',
  correlation_id uuid not null,
  hops int not null default 0,
  created timestamptz(3) not null default now(),
  ended timestamptz(3),
  -- Why it was ended before its last run.
  reason text,
  unique (event_id, protocol_action_id)
);
create index planned_step_due on planned_step (due) where ended is null;
create index planned_step_unit on planned_step (work_unit_id, due);
create index planned_step_tenant on planned_step (tenant_id, due, planned_step_id);
create index planned_step_list on planned_step (due, planned_step_id);
create index planned_step_ended on planned_step (ended) where ended is not null;
select secure_tenant_table('planned_step');
grant select, insert, update, delete on planned_step to app_scoped, app_global;
