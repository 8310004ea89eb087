-- The token by which the machine of a device was enrolled; null for a device that people made. Rows of tokens stay after they end.
alter table device add column enrolled_by uuid;
create index device_enrolled_by on device (enrolled_by, created desc) where enrolled_by is not null;
update device d set enrolled_by = p.token_grant_id from pending_device p where p.device_id = d.device_id and p.token_grant_id is not null;
