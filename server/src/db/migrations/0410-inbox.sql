-- What a person should look at: one row for each person, work unit, kind and cause, written with the change that causes it.
create table inbox_item (
  inbox_item_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  person_id uuid not null references person on delete cascade,
  work_unit_id bigint not null references work_unit on delete cascade,
  kind text not null,
  -- The row that caused it: a note, or a version of the unit. A cause that is handled twice adds nothing.
  cause text not null,
  detail text not null default '',
  created_by text not null,
  created timestamptz(3) not null default now(),
  -- When it is shown: at once, or after a snooze.
  due timestamptz(3) not null default now(),
  read_at timestamptz(3),
  unique (person_id, work_unit_id, kind, cause)
);
create index inbox_item_person on inbox_item (person_id, due desc, inbox_item_id);
create index inbox_item_unread on inbox_item (person_id, due) where read_at is null;
create index inbox_item_unit on inbox_item (work_unit_id);
create index inbox_item_tenant on inbox_item (tenant_id);
create index inbox_item_created on inbox_item (created);
select secure_tenant_table('inbox_item');
grant select, insert, update, delete on inbox_item to app_scoped, app_global;
-- Kinds of items that the person does not want.
alter table person add column muted_inbox_kinds text[] not null default '{}';
grant update (muted_inbox_kinds) on person to app_scoped;

-- Who follows a work unit.
create table work_unit_watcher (
  work_unit_id bigint not null references work_unit on delete cascade,
  person_id uuid not null references person on delete cascade,
  tenant_id uuid not null references tenant,
  created timestamptz(3) not null default now(),
  primary key (work_unit_id, person_id)
);
create index work_unit_watcher_person on work_unit_watcher (person_id);
create index work_unit_watcher_tenant on work_unit_watcher (tenant_id);
select secure_tenant_table('work_unit_watcher');
grant select, insert, update, delete on work_unit_watcher to app_scoped, app_global;
