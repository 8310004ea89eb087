-- Rules on windows, silence, other matches and work units.

-- Why a rule could not be evaluated lately; emptied when it is changed.
alter table rule add column evaluation_failure text, add column evaluation_failed timestamptz(3);
create index rule_of_matches on rule (tenant_id) where enabled and rule_type_id = 2;

-- What rules remember of a subject that sends no packets: a device whose matches are correlated, a subscription, a work unit.
create table rule_memory (
  subject_id uuid primary key,
  tenant_id uuid not null,
  at timestamptz(3) not null,
  state jsonb
);
create index rule_memory_tenant on rule_memory (tenant_id);

-- Events that rules have seen: a job that runs again finds it done.
create table rule_receipt (
  event_id uuid primary key,
  tenant_id uuid not null,
  created timestamptz(3) not null default now()
);
create index rule_receipt_age on rule_receipt using brin (created);

-- What packets of many entities came to in one step of a window, added by each batch and merged by the timer.
create table rule_count (
  tenant_id uuid not null,
  rule_id uuid not null,
  subject_id uuid not null,
  key text not null,
  step bigint not null,
  count int not null,
  sum float8 not null,
  min float8 not null,
  max float8 not null
);
create index rule_count_rule on rule_count (rule_id, subject_id, key, step);

-- When packets were last taken, and the times in which none were: silence within them says nothing.
create table installation_pulse (
  one boolean primary key default true check (one),
  at timestamptz(3) not null
);
create table installation_gap (
  gap_id bigint generated always as identity primary key,
  gap_start timestamptz(3) not null,
  gap_end timestamptz(3) not null
);
create index installation_gap_end on installation_gap (gap_end);

select secure_tenant_table('rule_memory');
select secure_tenant_table('rule_receipt');
select secure_tenant_table('rule_count');
grant select, insert, update, delete on rule_memory, rule_receipt, rule_count to app_scoped, app_global;
grant select, insert, update, delete on installation_pulse, installation_gap to app_global;
