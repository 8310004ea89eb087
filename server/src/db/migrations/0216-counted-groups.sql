-- Sums over many entities for each location, tag or device type. A group is the subject of the matches that its sums open.
alter table rule add column count_by text not null default 'Subscription', add column count_tag text;

create table counted_group (
  group_id uuid primary key,
  tenant_id uuid not null,
  kind text not null,
  key text not null,
  name text not null
);
create index counted_group_tenant on counted_group (tenant_id);
select secure_tenant_table('counted_group');
grant select, insert, update on counted_group to app_scoped, app_global;
