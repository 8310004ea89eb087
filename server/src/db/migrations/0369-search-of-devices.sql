-- How people know the machine of a device: `registered_as` has the host name and the address of its registration, `host_facts` host name,
-- serial number, addresses and MAC addresses as its inventory reported them last.
alter table device add column registered_as text, add column host_facts text;

-- A trigger, because several statements change a registration.
create function note_registration() returns trigger language plpgsql set search_path = public as $$
begin
  with noted as (
    update device set registered_as = new.machine_name || coalesce(E'\n' || new.ip_address, '') where device_id = new.device_id
      and registered_as is distinct from new.machine_name || coalesce(E'\n' || new.ip_address, '') returning tenant_id, device_id
  )
  insert into change (tenant_id, verb, entity, entity_id, correlation_id) select tenant_id, 'update', 'devices', device_id::text, uuidv7() from noted;
  return null;
end $$;
create trigger noted_registration after update of device_id, machine_name, ip_address on pending_device
  for each row when (new.device_id is not null and (old.device_id, old.machine_name, old.ip_address) is distinct from (new.device_id, new.machine_name, new.ip_address))
  execute function note_registration();
update device d set registered_as = p.machine_name || coalesce(E'\n' || p.ip_address, '') from pending_device p where p.device_id = d.device_id;

-- What the search box of devices looks at, as for work units.
create index device_found on device using gin ((folded(name || E'\n' || coalesce(description, '') || E'\n' || coalesce(tags, '') || E'\n' || coalesce(registered_as, '') || E'\n' || coalesce(host_facts, ''))) gin_trgm_ops);
create function found_devices(pattern text) returns setof uuid language sql stable
begin atomic
  select device_id from device where folded(name || E'\n' || coalesce(description, '') || E'\n' || coalesce(tags, '') || E'\n' || coalesce(registered_as, '') || E'\n' || coalesce(host_facts, '')) like pattern;
end;
create function found_devices(pattern text, tenants uuid[]) returns setof uuid language sql stable security definer set search_path = public
begin atomic
  select device_id from device where folded(name || E'\n' || coalesce(description, '') || E'\n' || coalesce(tags, '') || E'\n' || coalesce(registered_as, '') || E'\n' || coalesce(host_facts, '')) like pattern and tenant_id = any(tenants)
    and case when tenant_id = any((select caller_tenants())::uuid[]) then true else false end;
end;
grant create on schema public to app_global;
alter function found_devices(text, uuid[]) owner to app_global;
revoke create on schema public from app_global;
revoke all on function found_devices(text, uuid[]) from public;
grant execute on function found_devices(text, uuid[]) to app_scoped, app_global;

-- After many rows at once: what waits beside the trigram indexes goes into them, or the next search reads all of that.
create function settle_searches() returns bigint language sql security definer set search_path = public
  return gin_clean_pending_list('work_unit_found') + gin_clean_pending_list('work_unit_note_found') + gin_clean_pending_list('device_found');
revoke all on function settle_searches() from public;
grant execute on function settle_searches() to app_global;
