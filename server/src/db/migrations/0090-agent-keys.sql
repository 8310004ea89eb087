-- The machine's public key (Ed25519, base64url of its 32 bytes). Null for a machine that registered with a token alone.
alter table pending_device
  add column public_key text,
  add column key_created timestamptz(3),
  -- The `aud` of the machine's assertions, as the server told it: it stays when the public address changes.
  add column audience text,
  -- The token that enrolled the machine.
  add column token_grant_id uuid,
  -- When another machine last tried to register with the same machine key.
  add column other_machine_on timestamptz(3);
create index pending_device_token on pending_device (token_grant_id) where token_grant_id is not null;

alter table device
  add column cut_off_on timestamptz(3),
  add column other_machine_on timestamptz(3),
  -- A key that is older than this is to be replaced by its agent.
  add column key_wanted_on timestamptz(3);

-- Assertions that were used: each one is good for one access token. The id is the hash of the machine and the `jti`.
create table used_assertion (
  assertion_id bytea primary key,
  expires_on timestamptz(3) not null
);
create index used_assertion_expires on used_assertion (expires_on);
grant select, insert, delete on used_assertion to app_global;

alter table token_grant
  -- Where machines that register by this token are promoted without a person; null: they wait.
  add column promote_to uuid,
  add column promote_location_id uuid,
  -- The machine name with `*`; null: any.
  add column promote_names text,
  -- Networks from which a machine is promoted; empty: any.
  add column promote_networks jsonb not null default '[]',
  add column promote_heartbeat int;
