-- Passkeys of people whom the embedded identity provider knows.

create table passkey (
  passkey_id uuid primary key default uuidv7(),
  person_id uuid not null references person,
  credential_id bytea not null unique,
  -- In COSE form, as the authenticator gave it.
  public_key bytea not null,
  -- How often the authenticator says it was used; 0 where it does not count.
  sign_count bigint not null,
  transports text[] not null default '{}',
  -- Kept by a password manager or cloud account, rather than bound to one device.
  backed_up boolean not null,
  name text not null,
  created timestamptz(3) not null default now(),
  last_used timestamptz(3)
);
create index passkey_person on passkey (person_id);

-- What an authenticator has been asked to sign: good once, for the page that asked.
create table passkey_challenge (
  challenge text primary key,
  page text not null,
  expires_on timestamptz(3) not null
);
create index passkey_challenge_expiry on passkey_challenge (expires_on);

-- Nobody's tenant: only the server itself reads and writes these.
grant select, insert, update, delete on passkey, passkey_challenge to app_global;
