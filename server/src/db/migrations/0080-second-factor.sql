-- One-time codes of an authenticator app (TOTP). The secret is encrypted under the master key.
create table totp (
  person_id uuid primary key references person,
  envelope jsonb not null,
  -- Null until the person has shown, by a first code, that the app has the secret.
  confirmed_on timestamptz(3),
  -- The last time step whose code was used: a code is accepted once.
  last_step bigint not null default 0,
  created timestamptz(3) not null default now()
);

-- Codes to sign in with when the app is lost: SHA-256, each good once.
create table recovery_code (
  person_id uuid not null references person,
  code_hash bytea not null,
  used_on timestamptz(3),
  primary key (person_id, code_hash)
);

-- Nobody's tenant: only the server itself reads and writes these.
grant select, insert, update, delete on totp, recovery_code to app_global;

-- What lists of people show. Triggers set it, so that a server of the version before, which writes passkeys, does too.
alter table person add column second_factor text not null default 'None';

create function keep_second_factor() returns trigger language plpgsql as $$
declare of_person uuid := case when tg_op = 'DELETE' then old.person_id else new.person_id end;
begin
  update person p set second_factor = case
      when k.has and t.has then 'PasskeyAndCode' when k.has then 'Passkey' when t.has then 'Code' else 'None' end
    from (select exists (select from passkey where person_id = of_person) as has) k,
      (select exists (select from totp where person_id = of_person and confirmed_on is not null) as has) t
    where p.person_id = of_person;
  return null;
end $$;
create trigger passkey_second_factor after insert or delete on passkey for each row execute function keep_second_factor();
create trigger totp_second_factor after insert or update or delete on totp for each row execute function keep_second_factor();
update person p set second_factor = 'Passkey' where exists (select from passkey k where k.person_id = p.person_id);
