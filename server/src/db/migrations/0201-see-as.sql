-- An administrator who looks at the portal as somebody else, for a short time. Each row is audited where it is made.
create table see_as (
  see_as_id uuid primary key default gen_random_uuid(),
  seer_id uuid not null references person on delete cascade,
  person_id uuid not null references person on delete cascade,
  expires timestamptz(3) not null
);
create index see_as_expires on see_as (expires);
grant select, insert, delete on see_as to app_global;
