-- Each try of an execution: what was sent where, and how it ended. It goes with its execution.
create table action_try (
  action_try_id bigint generated always as identity primary key,
  tenant_id uuid not null references tenant,
  action_history_id bigint not null references action_history on delete cascade,
  -- Of the execution; the tries move with the unit to another tenant.
  work_unit_id bigint,
  number int not null,
  started timestamptz(3) not null default now(),
  -- Null while it is under way, and when its worker was lost.
  duration_ms int,
  target text not null,
  sent text,
  status int,
  error text
);
create index action_try_history on action_try (action_history_id, action_try_id);
create index action_try_work_unit on action_try (work_unit_id) where work_unit_id is not null;
create index action_try_tenant on action_try (tenant_id, started desc, action_try_id);
create index action_try_list on action_try (started desc, action_try_id);
select secure_tenant_table('action_try');
grant select, insert, update, delete on action_try to app_scoped, app_global;

-- When an execution that failed is tried again.
grant delete on outbox_message to app_scoped;
alter table action_history add column next_try timestamptz(3);
