-- The tables become the first partitions of new tables with their names. Nothing is read or copied. `_before` has the time up to its bound,
-- and `_after` that from the last bound on, so that no row is refused, whatever a clock says; server/src/db/partitions.ts makes those between.
-- A foreign key would lock devices and tenants whenever a partition is made or dropped, so the log has none; it is a record like the others.
alter table device_log drop constraint device_log_tenant_id_fkey, drop constraint device_log_device_id_fkey, drop constraint device_log_device_operation_id_fkey;
drop trigger audit_is_kept on audit;
do $$
declare p record; i record; bound text; part text; defs text[]; def text; last bigint; is_used boolean;
begin
  for p in select * from (values ('audit', 'at', 'audit_id'), ('rule_evaluation', 'at', null), ('device_log', 'created', 'log_entry_id')) p (name, at, key) loop
    part := p.name || '_before';
    select (regexp_match(pg_get_constraintdef(oid), '''([^'']+)'''))[1] into strict bound
      from pg_constraint where conrelid = p.name::regclass and conname = part || '_time';
    if p.key is not null then
      execute format('select last_value, is_called from %s', pg_get_serial_sequence(p.name, p.key)) into last, is_used;
      execute format('alter table %I alter column %I drop identity, drop constraint %I', p.name, p.key, p.name || '_pkey');
      execute format('alter table %I add constraint %I primary key using index %I', p.name, part || '_pkey', part || '_key');
    end if;
    defs := '{}';
    for i in select x.relname as name, pg_get_indexdef(x.oid) as def from pg_index n join pg_class x on x.oid = n.indexrelid
      where n.indrelid = p.name::regclass and not n.indisprimary order by 1 loop
      defs := defs || i.def;
      execute format('alter index %I rename to %I', i.name, part || substr(i.name, length(p.name) + 1));
    end loop;
    execute format('drop policy scoped on %1$I; drop policy everything on %1$I', p.name);
    execute format('alter table %I disable row level security, no force row level security', p.name);
    execute format('revoke all on %I from app_scoped, app_global', p.name);
    execute format('alter table %I rename to %I', p.name, part);
    execute format('create table %I (like %I including all excluding indexes excluding constraints excluding identity) partition by range (%I)', p.name, part, p.at);
    if p.key is not null then
      execute format('alter table %I add primary key (%I, %I), alter column %2$I add generated always as identity', p.name, p.key, p.at);
      if is_used then perform setval(pg_get_serial_sequence(p.name, p.key), last); end if;
    end if;
    foreach def in array defs loop execute def; end loop;
    execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', p.name, part, bound);
    execute format('alter table %I drop constraint %I', part, part || '_time');
    execute format('create table %I partition of %I for values from (%L) to (maxvalue)', p.name || '_after', p.name, bound);
    perform secure_tenant_table(p.name::regclass);
  end loop;
end $$;
alter policy scoped on audit with check (tenant_id is null or tenant_id = any((select caller_tenants())::uuid[]));
create trigger audit_is_kept before delete on audit for each row when (old.at > now() - interval '30 days') execute function keep_young_audit();
grant select, insert on audit to app_scoped, app_global;
grant delete on audit to app_global;
grant select, insert, update, delete on rule_evaluation, device_log to app_scoped, app_global;
