-- Days of packets before the last week are made on demand: filling in history needs them.
create function make_packet_partitions(first date) returns void language plpgsql security definer set search_path = public as $$
declare day date; part text;
begin
  perform pg_advisory_xact_lock(7401);
  for day in select generate_series(first, current_date + 2, interval '1 day')::date loop
    part := 'packet_' || to_char(day, 'YYYYMMDD');
    if to_regclass(part) is null then
      execute format('create table %I partition of packet for values from (%L) to (%L)', part, day || ' 00:00:00+00', (day + 1) || ' 00:00:00+00');
    end if;
  end loop;
end $$;
grant execute on function make_packet_partitions(date) to app_global;
