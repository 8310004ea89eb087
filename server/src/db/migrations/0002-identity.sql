-- Sign-in: what the embedded identity provider keeps, passwords, one-time links, tokens that ended early.

-- Sessions, grants, codes and interactions of the embedded identity provider.
create table identity_item (
  model text not null,
  id text not null,
  payload jsonb not null,
  account_id text,
  grant_id text,
  uid text,
  user_code text,
  expires_at timestamptz(3),
  consumed_at timestamptz(3),
  primary key (model, id)
);
create index identity_item_account on identity_item (account_id) where account_id is not null;
create index identity_item_grant on identity_item (grant_id) where grant_id is not null;
create index identity_item_uid on identity_item (model, uid) where uid is not null;
create index identity_item_expiry on identity_item (expires_at);

-- `jti` of a revoked access token or the session that it came from; kept until the token would have expired.
create table revoked_token (
  revoked_id text primary key,
  expires_on timestamptz(3) not null
);

create table sign_in_password (
  person_id uuid primary key references person,
  password_hash text not null,
  changed timestamptz(3) not null default now()
);

-- Only the SHA-256 of a link's token is kept.
create table one_time_link (
  token_hash bytea primary key,
  person_id uuid not null references person,
  expires_on timestamptz(3) not null,
  used_on timestamptz(3),
  created timestamptz(3) not null default now()
);
create index one_time_link_person on one_time_link (person_id);

-- Failed attempts by account and address (a hash of both).
create table sign_in_attempt (
  attempt_key bytea primary key,
  attempts int not null,
  last_attempt timestamptz(3) not null default now()
);

-- Nobody's tenant: only the server itself reads and writes these.
grant select, insert, update, delete on identity_item, revoked_token, sign_in_password, one_time_link, sign_in_attempt to app_global;
