-- What single devices do not have from a policy, until when and why.
create unique index device_of_tenant on device (tenant_id, device_id);
create table policy_exception (
  policy_exception_id uuid not null unique default uuidv7(),
  tenant_id uuid not null references tenant,
  policy_id uuid not null references device_policy,
  device_id uuid not null,
  -- The key of one thing of the policy; null for all of it.
  thing text,
  label text,
  until timestamptz(3),
  -- Whether the device was compared with its policies after the end.
  is_over boolean not null default false,
  reason text not null,
  created timestamptz(3) not null default now(),
  created_by text not null,
  version int not null default 1,
  primary key (tenant_id, policy_exception_id),
  -- A device that moves to another tenant takes its exceptions along.
  foreign key (tenant_id, device_id) references device (tenant_id, device_id) on update cascade on delete cascade
);
create index policy_exception_device on policy_exception (device_id, policy_id);
create index policy_exception_policy on policy_exception (policy_id);
create index policy_exception_list on policy_exception (created, policy_exception_id);
create index policy_exception_tenant on policy_exception (tenant_id, created, policy_exception_id);
create index policy_exception_until on policy_exception (until) where not is_over and until is not null;
select secure_tenant_table('policy_exception');
grant select, insert, update, delete on policy_exception to app_scoped, app_global;
