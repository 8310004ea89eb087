-- Invitations of people who have no account of this installation, or none in this tenant. Only the SHA-256 of the link's token is kept.
create table invitation (
  invitation_id uuid primary key default uuidv7(),
  tenant_id uuid references tenant,
  email text not null,
  name text not null,
  permission_set_id uuid not null references permission_set on delete cascade,
  invited_by text not null,
  invited_by_kind text not null,
  invited_by_id uuid not null,
  token_hash bytea not null unique,
  created timestamptz(3) not null default now(),
  expires_on timestamptz(3) not null,
  accepted_on timestamptz(3),
  person_id uuid references person
);
create index invitation_tenant on invitation (tenant_id, created desc);
create index invitation_expiry on invitation (expires_on);
select secure_tenant_table('invitation');
grant select, insert, update, delete on invitation to app_scoped, app_global;
