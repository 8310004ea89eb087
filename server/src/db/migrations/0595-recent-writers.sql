-- Who has written in the last seconds, so that no process reads for them from a standby that does not have it yet. Not logged: it is empty
-- after a crash, when every connection of these callers has ended.
create unlogged table recent_writer (
  writer text primary key,
  until timestamptz(3) not null
) with (fillfactor = 50);
grant select, delete on recent_writer to app_global;

create function note_writer(caller text, seconds int) returns void language sql volatile security definer set search_path = public as $$
  insert into recent_writer (writer, until) values (caller, now() + make_interval(secs => seconds))
  on conflict (writer) do update set until = greatest(recent_writer.until, excluded.until)
$$;

-- The position of the log that a standby must have reached for a caller; null when any will do.
create function position_for(caller text) returns pg_lsn language sql volatile security definer set search_path = public as $$
  select pg_current_wal_flush_lsn() from recent_writer where writer = caller and until > now()
$$;
revoke execute on function note_writer(text, int), position_for(text) from public;
grant execute on function note_writer(text, int), position_for(text) to app_scoped, app_global;
