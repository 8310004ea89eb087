-- Why the last version could not be installed, and when: kept when another version is requested, until one is newly installed.
alter table device_installation add column failure text;
alter table device_installation add column failed timestamptz(3);
