-- How many work units each tenant has in each state, so that a list is counted without reading its rows. Triggers add rows and
-- never change any, so that writers do not wait for each other; periodic work adds them up. The sum is exact in every snapshot.
create table rows_of_work_unit (
  tenant_id uuid not null,
  state_id text not null,
  rows bigint not null
);
create index rows_of_work_unit_tenant on rows_of_work_unit (tenant_id, state_id);
select secure_tenant_table('rows_of_work_unit');
grant select, insert, delete on rows_of_work_unit to app_scoped, app_global;

create function count_work_units() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into rows_of_work_unit values (old.tenant_id, old.state_id, -1), (new.tenant_id, new.state_id, 1);
  else
    insert into rows_of_work_unit select tenant_id, state_id, case tg_op when 'INSERT' then count(*) else -count(*) end from written group by 1, 2;
  end if;
  return null;
end $$;

create trigger count_inserted after insert on work_unit referencing new table as written for each statement execute function count_work_units();
create trigger count_deleted after delete on work_unit referencing old table as written for each statement execute function count_work_units();
create trigger count_moved after update of tenant_id, state_id on work_unit for each row
  when (old.tenant_id <> new.tenant_id or old.state_id <> new.state_id) execute function count_work_units();

-- The triggers hold writers back until this migration ends.
insert into rows_of_work_unit select tenant_id, state_id, count(*) from work_unit group by 1, 2;
