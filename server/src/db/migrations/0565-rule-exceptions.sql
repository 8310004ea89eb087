-- What single tenants have otherwise than a rule of many: other constants of its conditions, another lifetime, or nothing of it.
create table rule_exception (
  rule_exception_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  rule_id uuid not null references rule,
  is_off boolean not null default false,
  own_values jsonb,
  match_lifetime int,
  until timestamptz(3),
  reason text not null,
  created timestamptz(3) not null default now(),
  created_by text not null,
  modified timestamptz(3) not null default now(),
  modified_by text not null,
  version int not null default 1
);
create unique index rule_exception_once on rule_exception (rule_id, tenant_id);
create index rule_exception_list on rule_exception (created, rule_exception_id);
create index rule_exception_tenant on rule_exception (tenant_id, created, rule_exception_id);
create index rule_exception_until on rule_exception (until) where until is not null;
select secure_tenant_table('rule_exception');
grant select, insert, update, delete on rule_exception to app_scoped, app_global;
