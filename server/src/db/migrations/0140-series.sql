-- Metrics by minute, by ten minutes, by hour and by day, so that series of any length are read without their packets. A row is a page of
-- a metric: an hour by minute and ten minutes, a day by hour, a month by day. `slots` are the places in the page that have readings,
-- counted from 0; the other arrays go with it. Arrays stay inside their rows, uncompressed: a page has at most 60 slots.
-- `metric` is `Value` or `Metrics.` with the name.
create table series_minute (
  tenant_id uuid not null,
  entity_id uuid not null,
  metric text collate "C" not null,
  page timestamptz(3) not null,
  slots smallint[] not null, mins float8[] not null, sums float8[] not null, maxs float8[] not null, lasts float8[] not null, counts int[] not null,
  ten_slots smallint[] not null, ten_mins float8[] not null, ten_sums float8[] not null, ten_maxs float8[] not null, ten_lasts float8[] not null, ten_counts int[] not null,
  primary key (entity_id, metric, page, tenant_id)
) partition by range (page);
create table series_hour (
  tenant_id uuid not null,
  entity_id uuid not null,
  metric text collate "C" not null,
  page timestamptz(3) not null,
  slots smallint[] not null, mins float8[] not null, sums float8[] not null, maxs float8[] not null, lasts float8[] not null, counts int[] not null,
  primary key (entity_id, metric, page, tenant_id)
) with (fillfactor = 70);
create table series_day (
  tenant_id uuid not null,
  entity_id uuid not null,
  metric text collate "C" not null,
  page timestamptz(3) not null,
  slots smallint[] not null, mins float8[] not null, sums float8[] not null, maxs float8[] not null, lasts float8[] not null, counts int[] not null,
  primary key (entity_id, metric, page, tenant_id)
) with (fillfactor = 70);
do $$ declare t text; c text; begin
  foreach t in array array['series_minute', 'series_hour', 'series_day'] loop
    for c in select attname from pg_attribute where attrelid = t::regclass and attnum > 0 and attname ~ '^(ten_)?(slots|mins|sums|maxs|lasts|counts)$' loop
      execute format('alter table %I alter column %I set storage plain', t, c);
    end loop;
  end loop;
end $$;
create index series_hour_age on series_hour using brin (page) with (autosummarize = on);
create index series_day_age on series_day using brin (page) with (autosummarize = on);

-- Hours of entities whose pages are to be computed, again where packets came late. Rows are added and never updated, so that none is lost
-- between the reading of packets and its removal.
create table series_due (
  series_due_id bigint generated always as identity primary key,
  tenant_id uuid not null,
  entity_id uuid not null,
  hour timestamptz(3) not null
);
create index series_due_entity on series_due (entity_id, hour);

-- Up to when all hours were taken into `series_due`; null at the beginning, and to compute everything again.
create table series_state (
  is_set boolean primary key default true check (is_set),
  closed_until timestamptz(3)
);
insert into series_state default values;

select secure_tenant_table(t) from unnest(array['series_minute', 'series_hour', 'series_day', 'series_due']::regclass[]) t;
grant select, insert, update, delete on series_minute, series_hour, series_day, series_due to app_scoped, app_global;
grant select on series_state to app_scoped;
grant select, update on series_state to app_global;

-- Makes the partitions of minutes from the beginning of retention to two days ahead and drops those past retention.
create function keep_series_partitions(retention_days int) returns void language plpgsql security definer set search_path = public as $$
declare day date; part text;
begin
  perform pg_advisory_xact_lock(7402);
  for day in select generate_series(current_date - retention_days, current_date + 2, interval '1 day')::date loop
    part := 'series_minute_' || to_char(day, 'YYYYMMDD');
    if to_regclass(part) is null then
      execute format('create table %I partition of series_minute for values from (%L) to (%L)', part, day || ' 00:00:00+00', (day + 1) || ' 00:00:00+00');
    end if;
  end loop;
  for part in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'series_minute'::regclass and c.relname < 'series_minute_' || to_char(current_date - retention_days, 'YYYYMMDD') loop
    execute format('drop table %I', part);
  end loop;
end $$;
revoke execute on function keep_series_partitions(int) from public;
grant execute on function keep_series_partitions(int) to app_global;
select keep_series_partitions(30);
