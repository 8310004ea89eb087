-- Rows that are kept for a time are found by it, whatever the size of their table.
create index rule_evaluation_at on rule_evaluation using brin (at) with (autosummarize = on);
create index block_log_created on block_log using brin (created) with (autosummarize = on);

-- The audit stays append-only: what is younger than a month cannot be deleted, by nobody.
grant delete on audit to app_global;
create function keep_young_audit() returns trigger language plpgsql as $$ begin
  raise insufficient_privilege using message = 'The audit is kept for 30 days at least.';
end $$;
create trigger audit_is_kept before delete on audit for each row when (old.at > now() - interval '30 days') execute function keep_young_audit();

-- Packets that came after a newer one, and so were not evaluated: counted per rule, subject and hour.
create table stale_count (
  rule_id uuid not null,
  subject_id uuid not null,
  hour timestamptz(3) not null,
  tenant_id uuid not null,
  count bigint not null,
  last_at timestamptz(3) not null default now(),
  primary key (rule_id, subject_id, hour)
);
create index stale_count_tenant on stale_count (tenant_id, hour);
select secure_tenant_table('stale_count');
grant select, insert, update, delete on stale_count to app_scoped, app_global;
