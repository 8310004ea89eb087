-- Named states of lists: what an address says of filters, search and sort, with the columns. Each belongs to a tenant, and only
-- people with access to the tenant see it.
create table saved_view (
  saved_view_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  -- The owner. A shared view stays when its owner is removed.
  person_id uuid references person on delete set null,
  screen text not null,
  name text not null,
  address text not null,
  filter text,
  hidden jsonb,
  sharing text not null,
  team text,
  in_menu boolean not null default false,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  check ((sharing = 'Team') = (team is not null))
);
create unique index saved_view_name on saved_view (person_id, screen, lower(name));
create index saved_view_tenant on saved_view (tenant_id, sharing);
create index saved_view_team on saved_view (team) where team is not null;
select secure_tenant_table('saved_view');
grant select, insert, update, delete on saved_view to app_scoped, app_global;
-- The view with which each list opens, by screen.
alter table person add column default_views jsonb not null default '{}';
grant update (default_views) on person to app_scoped;
