-- Exceptions of a rule for a group of tenants, a subscription, a location, a tag, a name or a device; also of rules of one tenant.
-- Without a tenant, an exception by tag or name is for the tenants of its group, or for all.
alter table rule_exception
  alter column tenant_id drop not null,
  add column applies_to text not null default 'Tenant',
  add column tenant_group_id uuid references tenant_group,
  add column subscription_id uuid references subscription,
  add column location_id uuid references location,
  add column device_id uuid references device on delete cascade,
  add column tag text,
  add column entity_name text,
  add column severity_id text,
  add column rank int not null default 100;
drop index rule_exception_once;
create unique index rule_exception_once on rule_exception (rule_id, tenant_id, tenant_group_id, subscription_id, location_id, device_id, lower(tag), lower(entity_name))
  nulls not distinct;
create index rule_exception_group on rule_exception (tenant_group_id) where tenant_group_id is not null;
create index rule_exception_subscription on rule_exception (subscription_id) where subscription_id is not null;
create index rule_exception_location on rule_exception (location_id) where location_id is not null;
create index rule_exception_device on rule_exception (device_id) where device_id is not null;
-- An exception without a tenant is seen by the people of the tenants that it concerns: of its group, and of its rule.
alter policy scoped on rule_exception using (case
  when tenant_id = any((select caller_tenants())::uuid[]) then true
  when tenant_id is not null then false
  when tenant_group_id is null then exists (select from rule r where r.rule_id = rule_exception.rule_id)
  else exists (select from tenant_group g where g.tenant_group_id = rule_exception.tenant_group_id)
    and exists (select from rule r where r.rule_id = rule_exception.rule_id) end);

-- The severity that an exception gave the match; its messages before a work unit have it.
alter table rule_match add column severity_id text;
