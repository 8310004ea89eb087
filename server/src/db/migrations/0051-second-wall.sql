-- What the second wall is worth against a statement that somebody slips in: no way around it by a partition, a person or a function.

-- Partitions have no policies: they are read and written through their parent, which has. New ones get no rights either.
do $$
declare part regclass;
begin
  for part in select i.inhrelid::regclass from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') loop
    execute format('revoke all on %s from app_scoped, app_global', part);
  end loop;
end $$;

-- People belong to no tenant. Callers with some tenants read them, and note where they themselves work.
revoke insert, update, delete on person from app_scoped;
grant update (context_tenant_id, context_subscription_id) on person to app_scoped;

-- Functions with the rights of the owner are for those alone who are named.
revoke execute on function keep_packet_partitions(int), make_packet_partitions(date) from public;
