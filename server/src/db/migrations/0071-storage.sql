-- What the database takes of its disk. The size of the log is for those whom PostgreSQL shows it: the owner of an embedded one.
create function storage_use(out database_bytes bigint, out wal_bytes bigint) language plpgsql stable security definer set search_path = pg_catalog
as $$ begin
  database_bytes := pg_database_size(current_database());
  begin
    wal_bytes := (select sum(size) from pg_ls_waldir());
  exception when insufficient_privilege then
    wal_bytes := null;
  end;
end $$;
revoke all on function storage_use() from public;
grant execute on function storage_use() to app_scoped, app_global;
