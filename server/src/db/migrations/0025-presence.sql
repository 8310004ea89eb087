-- Who looks at or edits a work unit, for as long as the page tells so. Unlogged: after a crash the pages tell it again.
create unlogged table work_unit_presence (
  work_unit_id bigint not null,
  -- Kind and id of who looks, and the page: one person may have several.
  actor_id text not null,
  page_id uuid not null,
  tenant_id uuid not null,
  name text not null,
  user_name text not null,
  -- 'editing' sorts first.
  state text not null check (state in ('editing', 'looking')),
  since timestamptz(3) not null default now(),
  until timestamptz(3) not null,
  primary key (work_unit_id, actor_id, page_id)
);

select secure_tenant_table('work_unit_presence');
grant select, insert, update, delete on work_unit_presence to app_scoped, app_global;
