-- The version of the agent of a device, as the agent said when it last started, so that lists and selections filter by it.
alter table pending_device add column agent_version text;
alter table device add column agent_version text;

create or replace function note_registration() returns trigger language plpgsql set search_path = public as $$
begin
  with noted as (
    update device set registered_as = new.machine_name || coalesce(E'\n' || new.ip_address, ''), agent_version = coalesce(new.agent_version, agent_version)
      where device_id = new.device_id and (registered_as, agent_version)
        is distinct from (new.machine_name || coalesce(E'\n' || new.ip_address, ''), coalesce(new.agent_version, agent_version)) returning tenant_id, device_id
  )
  insert into change (tenant_id, verb, entity, entity_id, correlation_id) select tenant_id, 'update', 'devices', device_id::text, uuidv7() from noted;
  return null;
end $$;
create trigger noted_agent_version after update of agent_version on pending_device
  for each row when (new.device_id is not null and old.agent_version is distinct from new.agent_version and (old.device_id, old.machine_name, old.ip_address) is not distinct from (new.device_id, new.machine_name, new.ip_address))
  execute function note_registration();

create index device_agent_version on device (tenant_id, agent_version) where agent_version is not null;
