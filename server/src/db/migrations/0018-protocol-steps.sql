-- Steps of protocols one after the other, timers of work units, destinations that are spared.

-- What an event of a work unit has still to run. The row goes when the last step has its outcome.
create table protocol_run (
  event_id uuid primary key,
  tenant_id uuid not null references tenant,
  work_unit_id bigint not null references work_unit on delete cascade,
  protocol_id uuid not null,
  work_unit_event_type_id int not null,
  -- Protocol actions in their order, as they stood when the event happened.
  steps uuid[] not null,
  -- Of a timer: when it was due, how late it ran, how many moments were missed.
  detail jsonb not null default '{}',
  correlation_id uuid not null,
  hops int not null default 0,
  created timestamptz(3) not null default now(),
  -- When somebody last looked whether the next step may start.
  looked timestamptz(3) not null default now()
);
create index protocol_run_work_unit on protocol_run (work_unit_id, work_unit_event_type_id);
create index protocol_run_looked on protocol_run (looked);
create index protocol_run_tenant on protocol_run (tenant_id, created, event_id);

alter table action_history add column protocol_event_id uuid;
create index action_history_event on action_history (protocol_event_id) where protocol_event_id is not null;

-- How often an execution was replayed.
create index action_history_replay on action_history ((result_detail->>'replayOf')) where result_detail->>'replayOf' is not null;

-- One row per open work unit with a protocol.
create table work_unit_timer (
  work_unit_id bigint primary key references work_unit on delete cascade,
  tenant_id uuid not null references tenant,
  due timestamptz(3) not null,
  last_due timestamptz(3),
  last_late_ms bigint
);
create index work_unit_timer_due on work_unit_timer (due);
create index work_unit_timer_tenant on work_unit_timer (tenant_id, due);

-- An outside address that has failed for a tenant; a success removes the row.
create table destination (
  destination_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  origin text not null,
  failures int not null default 1,
  paused_until timestamptz(3),
  disabled timestamptz(3),
  last_error text,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1,
  unique (tenant_id, origin)
);
create index destination_list on destination (modified desc, destination_id);
create index destination_tenant on destination (tenant_id, modified desc, destination_id);

select secure_tenant_table('protocol_run');
select secure_tenant_table('work_unit_timer');
select secure_tenant_table('destination');
grant select, insert, update, delete on protocol_run, work_unit_timer, destination to app_scoped, app_global;

set local role app_global;
insert into work_unit_timer (work_unit_id, tenant_id, due)
select w.work_unit_id, w.tenant_id, now() + make_interval(secs => p.timer_inverval)
from work_unit w join protocol p using (protocol_id) where w.state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold');
reset role;
