-- Groups of tenants, and rules of a group or of all tenants: such a rule has no tenant of its own.
create table tenant_group (
  tenant_group_id uuid primary key default uuidv7(),
  name text not null,
  description text,
  -- The ids of its tenants as texts. A column of the group, so that who sees the group sees all of its tenants, and nobody a part.
  tenant_ids jsonb not null,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create unique index tenant_group_name on tenant_group (lower(name));
create index tenant_group_list on tenant_group (name, tenant_group_id);
alter table tenant_group enable row level security;
alter table tenant_group force row level security;
-- A person of some tenants finds the groups of these, as the rules of a group need; which ones are shown is decided above.
create policy scoped on tenant_group to app_scoped using (tenant_ids ?| (select caller_tenants())::text[]) with check (false);
create policy everything on tenant_group to app_global using (true) with check (true);
grant select on tenant_group to app_scoped;
grant select, insert, update, delete on tenant_group to app_global;

alter table rule
  alter column tenant_id drop not null,
  add column tenant_group_id uuid references tenant_group;
create index rule_tenant_group on rule (tenant_group_id) where tenant_group_id is not null;
-- The rules of a group are seen by the people of its tenants.
alter policy scoped on rule using (case
  when tenant_id = any((select caller_tenants())::uuid[]) then true
  when tenant_id is not null then false
  when tenant_group_id is null then true
  else exists (select from tenant_group g where g.tenant_group_id = rule.tenant_group_id) end);

-- The tenants of a rule: its own, those of its group, or all.
create function tenants_of_rule(tenant uuid, tenant_group uuid) returns setof uuid language sql stable
begin atomic
  select tenant where tenant is not null
  union all select t.tenant_id from tenant t where tenant is null and (tenant_group is null or exists (
    select from tenant_group g where g.tenant_group_id = tenant_group and g.tenant_ids ? t.tenant_id::text));
end;

-- As before, and also rules of many tenants; without a tenant, the rules of any that name a rule of many.
set local role app_global;
drop function rules_that_name(uuid, uuid);
reset role;
create function rules_that_name(tenant uuid, named uuid) returns setof uuid language sql stable security definer set search_path = public
begin atomic
  select rule_id from rule where (tenant is null or tenant_id = tenant or tenant_id is null) and (conditions @> jsonb_build_array(jsonb_build_object('RightOperand', named::text))
    or recovery_conditions @> jsonb_build_array(jsonb_build_object('RightOperand', named::text)));
end;
grant create on schema public to app_global;
alter function rules_that_name(uuid, uuid) owner to app_global;
revoke create on schema public from app_global;
revoke all on function rules_that_name(uuid, uuid) from public;
grant execute on function rules_that_name(uuid, uuid) to app_scoped, app_global;

-- Whether a rule of this tenant, or of this group, is for a tenant.
create function rule_is_for(rule_tenant uuid, tenant_group uuid, tenant uuid) returns boolean language sql stable
return rule_tenant = tenant or rule_tenant is null and (tenant_group is null or exists (
  select from tenant_group g where g.tenant_group_id = tenant_group and g.tenant_ids ? tenant::text));
