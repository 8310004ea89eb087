-- A day's partition is made as a table of its own and attached, for which nobody waits; `create table ... partition of` locks the whole table,
-- so that packets wait for a reader. The functions no longer drop: server/src/db/partitions.ts does, beside readers too.
create function add_day_partitions(parent text, first date) returns void language plpgsql set search_path = public as $$
declare day date; part text;
begin
  for day in select generate_series(first, current_date + 2, interval '1 day')::date loop
    part := parent || '_' || to_char(day, 'YYYYMMDD');
    if to_regclass(part) is null then
      execute format('create table %I (like %I including all excluding indexes)', part, parent);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part, day || ' 00:00:00+00', (day + 1) || ' 00:00:00+00');
    end if;
  end loop;
end $$;
revoke execute on function add_day_partitions(text, date) from public;

create or replace function make_packet_partitions(first date) returns void language plpgsql security definer set search_path = public as $$
begin
  perform pg_advisory_xact_lock(7401);
  perform add_day_partitions('packet', first);
end $$;

create or replace function keep_packet_partitions(retention_days int) returns void language plpgsql security definer set search_path = public as $$
begin
  perform make_packet_partitions(current_date - least(retention_days, 8));
end $$;

create or replace function keep_series_partitions(retention_days int) returns void language plpgsql security definer set search_path = public as $$
begin
  perform pg_advisory_xact_lock(7406);
  perform add_day_partitions('series_minute', current_date - retention_days);
end $$;
