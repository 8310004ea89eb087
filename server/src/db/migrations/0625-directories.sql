-- Directories: where people of other organisations sign in (OpenID Connect, LDAP), and from where they are provisioned (SCIM).
create table directory (
  directory_id uuid primary key default uuidv7(),
  name text not null,
  -- What the groups of its people begin with, so that no group of one directory is that of another.
  prefix text not null,
  kind text not null,
  enabled boolean not null,
  -- The tenants in which its people may have rights; with all_tenants, every one.
  all_tenants boolean not null,
  tenant_ids jsonb not null,
  mail_domains jsonb not null,
  issuer text,
  client_id text,
  scope text not null,
  groups_claim text not null,
  ldap_url text,
  start_tls boolean not null,
  bind_dn text,
  base_dn text,
  user_filter text not null,
  certificate text,
  token_hint text,
  token_expires_on timestamptz(3),
  secret_set_on timestamptz(3),
  provisioned_only boolean not null,
  has_button boolean not null,
  last_provisioned timestamptz(3),
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create unique index directory_prefix on directory (prefix);
create index directory_list on directory (name, directory_id);

-- What nobody but the server itself reads: the hash of the token of SCIM, and the client secret or the password of LDAP, sealed.
create table directory_secret (
  directory_id uuid primary key references directory on delete cascade,
  token_hash bytea,
  envelope jsonb
);

alter table person add column directory_id uuid references directory;
create index person_directory on person (directory_id, person_id) where directory_id is not null;

-- What SCIM says of a person. Without a row here, the person is not provisioned, or is deleted for the directory.
create table provisioned_person (
  person_id uuid primary key references person,
  directory_id uuid not null references directory on delete cascade,
  -- As the directory sends it; the sign-in name of the person differs where somebody else has it.
  user_name text not null,
  external_id text,
  -- Name, mail addresses and display name as the directory has sent them.
  profile jsonb not null,
  active boolean not null,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create index provisioned_person_list on provisioned_person (directory_id, person_id);
create unique index provisioned_person_name on provisioned_person (directory_id, lower(user_name));
create index provisioned_person_external on provisioned_person (directory_id, external_id);

create table directory_group (
  directory_group_id uuid primary key default uuidv7(),
  directory_id uuid not null references directory on delete cascade,
  external_id text,
  display_name text not null,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create unique index directory_group_name on directory_group (directory_id, lower(display_name));

create table directory_member (
  directory_group_id uuid not null references directory_group on delete cascade,
  person_id uuid not null references person,
  primary key (directory_group_id, person_id)
);
create index directory_member_person on directory_member (person_id);

-- People with rights in some tenants read directories where their rights are looked up; they change none.
grant select on directory, directory_group to app_scoped;
grant select, insert, update, delete on directory, directory_secret, provisioned_person, directory_group, directory_member to app_global;

-- Accounts for when no directory can be reached. Every use is told.
alter table person add column is_emergency boolean not null default false;
create index person_emergency on person (last_sign_in) where is_emergency;
