-- Variables of dashboards, and links that show a dashboard without sign-in.
alter table dashboard add column variables jsonb not null default '[]';

create unique index dashboard_with_tenant on dashboard (tenant_id, dashboard_id);

create table dashboard_link (
  dashboard_link_id uuid not null unique default uuidv7(),
  tenant_id uuid not null references tenant,
  dashboard_id uuid not null,
  name text not null,
  token_hash bytea not null,
  token_hint text not null,
  -- The person whose rights the link has. A link ends with its maker.
  maker_id uuid not null references person on delete cascade,
  expires timestamptz(3) not null,
  networks jsonb not null default '[]',
  variables jsonb not null default '{}',
  first_used timestamptz(3),
  first_used_from text,
  last_used timestamptz(3),
  last_used_from text,
  ended timestamptz(3),
  ended_by text,
  created timestamptz(3) not null default now(),
  created_by text not null default '',
  modified timestamptz(3) not null default now(),
  version int not null default 1,
  primary key (tenant_id, dashboard_link_id),
  foreign key (tenant_id, dashboard_id) references dashboard (tenant_id, dashboard_id) on delete cascade
);
create unique index dashboard_link_token on dashboard_link (token_hash);
create index dashboard_link_expires on dashboard_link (expires);
create index dashboard_link_of on dashboard_link (dashboard_id, created desc);
create index dashboard_link_maker on dashboard_link (maker_id);
create index dashboard_link_list on dashboard_link (created desc, dashboard_link_id);
create index dashboard_link_tenant on dashboard_link (tenant_id, created desc, dashboard_link_id);
select secure_tenant_table('dashboard_link');
grant select, insert, update, delete on dashboard_link to app_scoped, app_global;
