-- The months of all tenants together: a report over all of them by person added up a row for each person of each tenant.
create table work_unit_month_total (
  day date not null,
  dimension text not null,
  key text not null,
  opened int not null,
  open int not null,
  unacknowledged int not null,
  acknowledge_seconds bytea not null,
  resolve_seconds bytea not null,
  acknowledge_met int not null,
  acknowledge_breached int not null,
  resolve_met int not null,
  resolve_breached int not null,
  primary key (dimension, day, key)
);
-- Months in which rows of a tenant have changed since they were added up, and since when. Reports read the rows of the tenants for these.
create table work_unit_month_total_due (
  day date primary key,
  since timestamptz(3) not null default now()
);
grant select, insert, update, delete on work_unit_month_total, work_unit_month_total_due to app_global;
insert into work_unit_month_total_due (day, since) select distinct day, now() - interval '1 day' from work_unit_month;
