-- Whose token it is, from where it may be used, and whether its owner was told that it ends. Tokens of before have no owner.
alter table token_grant add column owner_id uuid references person;
alter table token_grant add column networks jsonb not null default '[]';
alter table token_grant add column end_told_on timestamptz(3);
create index token_grant_owner on token_grant (owner_id) where owner_id is not null;
create index token_grant_end on token_grant (expires_on) where owner_id is not null and revoked_on is null and end_told_on is null;
