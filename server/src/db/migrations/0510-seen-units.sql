-- Who has opened a work unit, and the link of a message about it: first and last. The last time is written at most once an hour.
create table work_unit_seen (
  work_unit_id bigint not null references work_unit on delete cascade,
  -- 'page': the unit in the portal. 'link': the link of a message, also without sign-in.
  way text not null check (way in ('page', 'link')),
  -- Null for a link that was sent to an address of nobody in particular.
  person_id uuid references person on delete cascade,
  -- The address that the link was sent to; empty if there is a person, or if several people may have got it.
  address text not null default '',
  tenant_id uuid not null references tenant,
  first_at timestamptz(3) not null default now(),
  last_at timestamptz(3) not null default now(),
  unique nulls not distinct (work_unit_id, way, person_id, address)
);
create index work_unit_seen_person on work_unit_seen (person_id);
create index work_unit_seen_tenant on work_unit_seen (tenant_id);
select secure_tenant_table('work_unit_seen');
grant select, insert, update, delete on work_unit_seen to app_scoped, app_global;
