-- Rules tried on recorded packets, and what the ledger looks for.

create table backtest_run (
  backtest_run_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  -- The rule, the period and the entities that were asked for.
  input jsonb not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'stopped', 'failed')),
  -- Of the period: 0 to 1.
  progress float8 not null default 0,
  packets bigint not null default 0,
  result jsonb,
  error text,
  -- On whose behalf it reads: it ends with their right to.
  owner_kind text not null,
  owner_id text,
  created_by text not null,
  correlation_id uuid not null,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now()
);
create index backtest_run_tenant on backtest_run (tenant_id, created desc, backtest_run_id);
create index backtest_run_created on backtest_run (created);
create index backtest_run_unfinished on backtest_run (tenant_id) where state in ('queued', 'running');

select secure_tenant_table('backtest_run');
grant select, insert, update, delete on backtest_run to app_scoped, app_global;

-- Few of many: each costs what it finds.
create index rule_evaluation_trouble on rule_evaluation (tenant_id, at desc) where outcome in ('stale', 'late', 'failed');
create index action_history_failed on action_history (tenant_id, action_processed desc) where result_status_id in (2, 4);
