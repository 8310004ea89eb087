-- Browsers by which a person has signed in: their failures count apart, and a sign-in from another one is told.
create table sign_in_device (
  -- SHA-256 of what the browser keeps in a cookie.
  device_hash bytea not null,
  person_id uuid not null references person,
  first_used timestamptz(3) not null default now(),
  last_used timestamptz(3) not null default now(),
  primary key (person_id, device_hash)
);

-- Whoever has rights by this set signs in with a passkey.
alter table permission_set add column requires_passkey boolean not null default false;

-- Nobody's tenant: only the server itself reads and writes these.
grant select, insert, update, delete on sign_in_device to app_global;
