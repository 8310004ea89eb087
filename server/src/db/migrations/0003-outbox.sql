-- Mail that no SMTP server takes is kept here for an administrator to read.
create table outbox_message (
  outbox_message_id uuid primary key default uuidv7(),
  tenant_id uuid not null,
  message_id uuid not null unique,
  recipients text not null,
  subject text not null,
  body text not null,
  is_important boolean not null default false,
  correlation_id uuid not null,
  created timestamptz(3) not null default now()
);
create index outbox_message_tenant on outbox_message (tenant_id, created desc);
select secure_tenant_table('outbox_message');
grant select, insert, delete on outbox_message to app_scoped, app_global;

-- Periodic work: whoever moves the due time forward does the work.
create table schedule (
  name text primary key,
  next_run timestamptz(3) not null default now(),
  last_run timestamptz(3),
  last_error text
);
grant select, insert, update on schedule to app_global;

-- A worker goes from tenant to tenant, so that one backlog delays nobody else.
create index job_tenant_due on job (tenant_id, run_at, job_id) where dead_at is null;
-- Leases of lost workers.
create index job_leased on job (leased_until) where leased_until is not null and dead_at is null;
-- Open matches of an entity, when a maintenance window begins or ends.
create index rule_match_open_subject on rule_match (subject_id) where closed is null;
-- What the expiry has yet to end: open ones by their time, and closed ones whose expiration actions wait.
create index rule_match_unended on rule_match (expires) where not completion_processed;
drop index rule_match_due;
