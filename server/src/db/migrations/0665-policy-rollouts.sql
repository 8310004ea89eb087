-- A new version of a policy comes into force ring by ring, and the campaign of a policy of several tenants is of none.
alter table campaign alter column tenant_id drop not null;
alter table campaign add column policy_id uuid;
-- While it is paused, no further device and no further ring begins.
alter table campaign add column paused_on timestamptz(3);
alter table campaign add column paused_by text;

create table policy_rollout (
  campaign_id uuid primary key references campaign on delete cascade,
  tenant_id uuid references tenant,
  policy_id uuid not null references device_policy on delete cascade,
  -- The fields in which the new version differs, as they travel, and what they were. Rows of campaign_device say which devices have it.
  definition jsonb not null,
  before jsonb not null,
  created timestamptz(3) not null default now(),
  -- When it came into force for all, or for none any more.
  ended timestamptz(3)
);
-- One new version of a policy at a time.
create unique index policy_rollout_open on policy_rollout (policy_id) where ended is null;
create index policy_rollout_policy on policy_rollout (policy_id, created);
create index policy_rollout_tenant on policy_rollout (tenant_id);
select secure_tenant_table('policy_rollout');
grant select, insert, update, delete on policy_rollout to app_scoped, app_global;
