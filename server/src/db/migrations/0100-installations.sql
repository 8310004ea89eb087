-- What the agent says about an installation. wish_number counts the wishes, so that a report about an earlier one changes nothing.
alter table device_installation add column wish_number int not null default 0;
alter table device_installation add column progress int;
alter table device_installation add column status_changed timestamptz(3);

-- The server's signature of a version's hash; null until a server with a key has signed it.
alter table package_version add column signature text;

-- A package that comes with the server.
alter table package add column is_built_in boolean not null default false;
