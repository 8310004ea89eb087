-- Agents that are told to uninstall themselves.
alter table device add column uninstall_on timestamptz(3);
alter table device add column uninstalled_on timestamptz(3);
-- Whether the agents of the customer uninstall themselves when its machines are cut off.
alter table offboarding add column uninstalls boolean not null default true;

-- What a machine is told when it signs in, until it reports or the time is over. It outlives the customer, then without its ids, so that a
-- machine which was off is told when it comes back.
create table uninstall_order (
  uninstall_order_id uuid primary key default uuidv7(),
  tenant_id uuid references tenant,
  device_id uuid,
  offboarding_id uuid,
  registration_id uuid not null,
  public_key text not null,
  audience text not null,
  until timestamptz(3) not null,
  -- What the agent has signed about it.
  report jsonb,
  reported_on timestamptz(3),
  created timestamptz(3) not null default now()
);
create unique index uninstall_order_machine on uninstall_order (registration_id);
create index uninstall_order_tenant on uninstall_order (tenant_id);
create index uninstall_order_device on uninstall_order (device_id);
create index uninstall_order_until on uninstall_order (until);
select secure_tenant_table('uninstall_order');
grant select, insert, update, delete on uninstall_order to app_scoped, app_global;
