-- A mail about the sign-in of somebody who serves the whole installation belongs to no tenant.
alter table outbox_message alter column tenant_id drop not null;
-- Rows without a tenant are for people with all tenants alone; elsewhere they are common to all.
alter policy scoped on outbox_message using (case when tenant_id = any((select caller_tenants())::uuid[]) then true else false end);
