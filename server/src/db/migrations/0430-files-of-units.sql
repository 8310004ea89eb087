-- Images and files that people put into the notes of a work unit. The bytes are in the store of uploaded files; the small image that
-- a note shows is here, because it is read with the page.
create table work_unit_file (
  work_unit_file_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  work_unit_id bigint not null references work_unit on delete cascade,
  name text not null,
  content_type text not null,
  size integer not null,
  sha256 text not null,
  storage_name text not null unique,
  thumbnail bytea,
  created_by text not null,
  created timestamptz(3) not null default now()
);
create index work_unit_file_unit on work_unit_file (work_unit_id);
create index work_unit_file_tenant on work_unit_file (tenant_id);
select secure_tenant_table('work_unit_file');
grant select, insert, update, delete on work_unit_file to app_scoped, app_global;
