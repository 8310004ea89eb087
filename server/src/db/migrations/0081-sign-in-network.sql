-- Networks from which a person has signed in (the /24 or /48 of the address): a sign-in from another one is told.
create table sign_in_network (
  person_id uuid not null references person,
  network text not null,
  first_used timestamptz(3) not null default now(),
  last_used timestamptz(3) not null default now(),
  primary key (person_id, network)
);

-- Nobody's tenant: only the server itself reads and writes these.
grant select, insert, update, delete on sign_in_network to app_global;
