-- Months in which an entity reported more names of metrics than are kept in pages. The names beyond them are read from packets.
create table series_limited (
  entity_id uuid not null,
  month timestamptz(3) not null,
  tenant_id uuid not null,
  primary key (entity_id, month, tenant_id)
);
create index series_limited_age on series_limited (month);
select secure_tenant_table('series_limited');
grant select, insert, update, delete on series_limited to app_scoped, app_global;
