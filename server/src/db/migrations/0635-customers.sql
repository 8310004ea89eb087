-- Templates from which customers are made: a configuration of one tenant with its access and tokens, without any id of it in force.
create table customer_template (
  customer_template_id uuid primary key default uuidv7(),
  name text not null,
  description text,
  content jsonb not null,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create unique index customer_template_name on customer_template (lower(name));
create index customer_template_list on customer_template (name, customer_template_id);

-- How customers end. The row outlives its tenant, because it is the proof of the deletion: so it names the tenant without a foreign key.
create table offboarding (
  offboarding_id uuid primary key default uuidv7(),
  customer_id uuid not null,
  customer_name text not null,
  state text not null default 'Running',
  delete_on timestamptz(3) not null,
  reason text not null,
  requested_by text not null,
  -- By step, when it was done and with which figures; a step that is missing is still to do.
  steps jsonb not null default '{}',
  -- The name of the archive in the store of files, until the deletion.
  archive_name text,
  -- Why the last try of the next step failed.
  problem text,
  proof jsonb,
  proof_digest text,
  proof_signature text,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  ended timestamptz(3),
  version int not null default 1
);
-- A customer ends once; one that was stopped may begin again.
create unique index offboarding_once on offboarding (customer_id) where state <> 'Stopped';
create index offboarding_list on offboarding (created, offboarding_id);

do $$
declare name text;
begin
  foreach name in array array['customer_template', 'offboarding'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    -- They name several customers, so nobody with some tenants sees them.
    execute format('create policy everything on %I to app_global using (true) with check (true)', name);
    execute format('grant select, insert, update, delete on %I to app_global', name);
    execute format('grant select on %I to app_scoped', name);
  end loop;
end $$;

-- A tenant is deleted with every row.
grant delete on communication_shown, counted_group, knowledge_article_version, tenant_secret_version, work_unit_key, work_unit_note, tenant to app_global;

-- What is younger than a month is deleted only with its tenant, on the day that was set for it.
create or replace function keep_young_audit() returns trigger language plpgsql as $$ begin
  if exists (select from offboarding o where o.customer_id = old.tenant_id and o.state = 'Deleting' and o.delete_on <= now()) then
    return old;
  end if;
  raise insufficient_privilege using message = 'The audit is kept for 30 days at least.';
end $$;

-- Notes are appended only; they go with their tenant, on the day that was set for it.
create function keep_notes() returns trigger language plpgsql as $$ begin
  if exists (select from offboarding o where o.customer_id = old.tenant_id and o.state = 'Deleting' and o.delete_on <= now()) then
    return old;
  end if;
  raise insufficient_privilege using message = 'Notes are not deleted.';
end $$;
create trigger keep_notes before delete on work_unit_note for each row execute function keep_notes();
