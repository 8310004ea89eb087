-- Work units that are closed as duplicates of another one. `before` has what taking them apart restores.
create table work_unit_merge (
  work_unit_id bigint primary key references work_unit on delete cascade,
  into_id bigint not null references work_unit on delete cascade,
  tenant_id uuid not null references tenant,
  before jsonb not null,
  created_by text not null,
  created timestamptz(3) not null default now()
);
create index work_unit_merge_into on work_unit_merge (into_id);
create index work_unit_merge_tenant on work_unit_merge (tenant_id);
select secure_tenant_table('work_unit_merge');
grant select, insert, update, delete on work_unit_merge to app_scoped, app_global;
create index rule_unit_work_unit on rule_unit (work_unit_id);

-- The unit that stays, of a merged unit and of those that were merged into it before.
create function merged_into(id bigint) returns bigint language sql stable
begin atomic
  with recursive up (unit, depth) as (
    select m.into_id, 1 from work_unit_merge m where m.work_unit_id = id
    union all select m.into_id, up.depth + 1 from up join work_unit_merge m on m.work_unit_id = up.unit
  )
  select unit from up order by depth desc limit 1;
end;

-- Customers of a merged unit also read what is written to those of the unit that stays, but not what these write.
create or replace view external_note with (security_invoker = true) as
select work_unit_note_id, work_unit_id, tenant_id, detail, created, 1 as version, is_from_customer
from work_unit_note where is_external_note and history_type is null
union all
select n.work_unit_note_id, m.work_unit_id, n.tenant_id, n.detail, n.created, 1 as version, n.is_from_customer
from work_unit_merge m join work_unit_note n on n.work_unit_id = merged_into(m.work_unit_id)
where n.is_external_note and n.history_type is null and n.created > m.created and not n.is_from_customer;

-- A request that was open when it was merged, and that nobody has opened again, is as far as the unit that stays.
create or replace view resolution_center_work_unit with (security_invoker = true) as
select w.work_unit_id, w.public_work_unit_id, w.tenant_id, w.title, w.description, w.reference_url, h.state_id,
  case when h.state_id in ('Resolved', 'Closed', 'Canceled') then 'Done' else 'Active' end as status,
  case when h.state_id in ('Resolved', 'Closed', 'Canceled') then h.resolution end as resolution,
  w.work_unit_type_id, w.work_unit_category_id, w.work_unit_subcategory_id, c.name as service, s.name as need,
  w.stake_holder_full_name, w.stake_holder_phone_number, w.stake_holder_email_address, w.stake_holder_experience_score,
  w.stake_holder_email_key,
  w.created, w.created_by, w.modified, h.resolved, w.version,
  b.due as call_due, b.taken_at as call_taken,
  coalesce(h.assigned_to, h.assignment_group) is not null as is_assigned,
  case when h.state_id not in ('Resolved', 'Closed', 'Canceled') then coalesce(
    (select min(m.next_update) from work_unit_relation r join work_unit_communication m on m.work_unit_communication_id = r.communication_id
      where r.work_unit_id = h.work_unit_id and m.is_public and m.next_update > now()),
    (select k.due_at from work_unit_clock k where k.work_unit_id = h.work_unit_id and k.kind = 'NextUpdate' and k.ended is null)
  ) end as next_update
from work_unit w
left join work_unit_merge g on g.work_unit_id = w.work_unit_id and w.state_id = 'Canceled'
  and g.before ->> 'stateId' not in ('Resolved', 'Closed', 'Canceled')
join work_unit h on h.work_unit_id = case when g.work_unit_id is null then w.work_unit_id else merged_into(w.work_unit_id) end
left join work_unit_category c on c.work_unit_category_id = w.work_unit_category_id
left join work_unit_subcategory s on s.work_unit_subcategory_id = w.work_unit_subcategory_id
left join call_back b on b.work_unit_id = w.work_unit_id and b.closed_at is null;
