-- A campaign may bring a new version of a rule into force, ring by ring.
alter table campaign add column rule_id uuid;
create table rule_rollout (
  campaign_id uuid primary key references campaign on delete cascade,
  tenant_id uuid not null references tenant,
  rule_id uuid not null references rule on delete cascade,
  -- The fields in which the new version differs, as they travel. Rows of campaign_device say which devices have it.
  definition jsonb not null,
  created timestamptz(3) not null default now(),
  -- When it came into force for all, or for none any more.
  ended timestamptz(3)
);
-- One new version of a rule at a time.
create unique index rule_rollout_open on rule_rollout (rule_id) where ended is null;
create index rule_rollout_rule on rule_rollout (rule_id, created);
create index rule_rollout_tenant on rule_rollout (tenant_id);
select secure_tenant_table('rule_rollout');
grant select, insert, update, delete on rule_rollout to app_scoped, app_global;
