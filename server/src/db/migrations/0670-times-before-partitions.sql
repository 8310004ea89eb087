-- The audit, evaluations and logs of devices get a partition for each quarter, month or week. What they have becomes their first partition, which ends
-- at this bound. The check is proved in the next migration, for which nobody waits, so that the table is attached without reading it. The
-- bound is far enough for servers of the version before, which go on writing when this upgrade is interrupted.
do $$
declare p record; bound timestamptz; latest timestamptz;
begin
  for p in select * from (values ('audit', 'at', 'quarter', interval '3 months'), ('rule_evaluation', 'at', 'month', '1 month'), ('device_log', 'created', 'week', '1 week')) p (name, at, unit, step) loop
    bound := (date_trunc(p.unit, now() at time zone 'UTC') + 2 * p.step) at time zone 'UTC';
    -- The owner of the tables sees no row of them.
    set local role app_global;
    execute format('select max(%1$I) from %2$I where %1$I >= $1', p.at, p.name) into latest using bound;
    reset role;
    -- A clock was wrong.
    if latest is not null then
      bound := (date_trunc(p.unit, latest at time zone 'UTC') + p.step) at time zone 'UTC';
    end if;
    execute format('alter table %I add constraint %I check (%I < %L) not valid', p.name, p.name || '_before_time', p.at, bound);
  end loop;
end $$;
