-- What the status pages showed of each public communication, and since when: they keep that when the communication is resolved,
-- withdrawn or edited. A trigger writes it, so that servers of the previous version do, too.
create table communication_shown (
  communication_shown_id bigint generated always as identity primary key,
  tenant_id uuid not null references tenant,
  work_unit_communication_id bigint not null references work_unit_communication,
  -- Null: no longer shown as going on.
  status text,
  services text,
  since timestamptz(3) not null
);
create index communication_shown_of on communication_shown (tenant_id, work_unit_communication_id, communication_shown_id);

create function record_communication_shown() returns trigger language plpgsql as $$
declare
  last communication_shown;
  shown text := case when new.is_public and new.status not in ('Cancelled', 'Resolved') then new.status end;
  at timestamptz := now();
begin
  select * into last from communication_shown s
    where s.tenant_id = new.tenant_id and s.work_unit_communication_id = new.work_unit_communication_id
    order by s.communication_shown_id desc limit 1;
  if shown is null and last.status is null then return null; end if;
  if last.communication_shown_id is null then
    at := least(coalesce(new.event_started, new.created), now());
  elsif shown is null and new.status = 'Resolved' then
    at := greatest(last.since, least(coalesce(new.event_resolved, now()), now()));
  end if;
  insert into communication_shown (tenant_id, work_unit_communication_id, status, services, since)
    values (new.tenant_id, new.work_unit_communication_id, shown, new.impacted_services, at);
  return null;
end $$;
create trigger communication_shown_at_first after insert on work_unit_communication for each row execute function record_communication_shown();
create trigger communication_shown_later after update of status, is_public, impacted_services on work_unit_communication for each row
  when ((old.status, old.is_public, old.impacted_services) is distinct from (new.status, new.is_public, new.impacted_services))
  execute function record_communication_shown();

-- What is public now, as the pages show it now. The triggers hold writers back until this migration ends.
insert into communication_shown (tenant_id, work_unit_communication_id, status, services, since)
  select tenant_id, work_unit_communication_id, case when status = 'Resolved' then 'ConfirmedImpact' else status end, impacted_services, coalesce(event_started, created)
  from work_unit_communication where is_public and status <> 'Cancelled';
insert into communication_shown (tenant_id, work_unit_communication_id, services, since)
  select tenant_id, work_unit_communication_id, impacted_services, coalesce(event_resolved, user_changed)
  from work_unit_communication where is_public and status = 'Resolved';
select secure_tenant_table('communication_shown');
grant select, insert on communication_shown to app_scoped, app_global;
