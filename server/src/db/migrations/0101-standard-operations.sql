-- An operation that the server has given to a new device: it does not keep the device from being deleted.
alter table device_operation add column is_standard boolean not null default false;
