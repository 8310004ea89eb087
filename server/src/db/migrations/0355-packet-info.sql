-- Value and age of the latest packet of an entity.
create view packet_info with (security_invoker = true) as
select entity_id, tenant_id, message -> 'Value' as value, timestamp as age from latest_packet;
grant select on packet_info to app_scoped, app_global;
