-- Tenants, tokens, secrets, features, licence and audit as the API shows them.

-- Each custom field is a column and its definition; the column answers the name that its definition gives it.
do $$ begin
  for n in 1..15 loop
    execute format('alter table tenant add column work_unit_field%s text generated always as (work_unit_field_def%s ->> ''Name'') stored', n, n);
  end loop;
end $$;

create index subscription_list on subscription (tenant_id, name, subscription_id);
create index location_list_all on location (name, location_id);

-- A list of words travels as JSON like every other field.
alter table token_grant alter column scopes drop default;
alter table token_grant alter column scopes type jsonb using to_jsonb(scopes);
alter table token_grant alter column scopes set default '["agent", "ingest"]';
create index token_grant_list on token_grant (tenant_id, expires_on nulls first, token_grant_id);
create index token_grant_list_all on token_grant (expires_on nulls first, token_grant_id);
create index token_grant_permission_set on token_grant (permission_set_id) where permission_set_id is not null;

create table tenant_secret (
  id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  name text not null,
  latest_version int not null default 0,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1,
  unique (tenant_id, id)
);
create unique index tenant_secret_name on tenant_secret (tenant_id, lower(name));
create index tenant_secret_list on tenant_secret (tenant_id, name, id);

-- Encrypted values; the envelope is bound to tenant, secret and version.
create table tenant_secret_version (
  tenant_secret_id uuid not null,
  secret_version int not null,
  tenant_id uuid not null,
  envelope jsonb not null,
  created timestamptz(3) not null default now(),
  created_by text not null,
  primary key (tenant_secret_id, secret_version),
  foreign key (tenant_id, tenant_secret_id) references tenant_secret (tenant_id, id) on delete cascade
);
create index tenant_secret_version_key on tenant_secret_version ((envelope ->> 'kid'));
select secure_tenant_table('tenant_secret');
select secure_tenant_table('tenant_secret_version');
grant select, insert, update, delete on tenant_secret to app_scoped, app_global;
grant select, insert on tenant_secret_version to app_scoped, app_global;
-- Only the rotation of the master key writes an envelope anew.
grant update (envelope) on tenant_secret_version to app_global;

create table feature (
  feature_id uuid primary key default uuidv7(),
  name text not null,
  description text not null,
  enabled boolean not null default false,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create unique index feature_name on feature (lower(name));
insert into feature (name, description) values ('I3ERequestForm', 'Request an account or its reset from the sign-in page');
grant select on feature to app_scoped;
grant select, insert, update on feature to app_global;

-- Everybody may know when the licence ends; the rest of the settings stays closed.
create function licence_file() returns text language sql stable security definer set search_path = public as $$
  select value #>> '{}' from setting where name = 'licence'
$$;

-- Ranges of time in the audit; its rows come in the order of their time.
create index audit_at on audit using brin (at);
revoke truncate on audit from app_scoped, app_global;
