-- What a unit on hold waits for. The view has the new column at its end and is otherwise that of 0450.
alter table work_unit add column hold_reason text;

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
  ) end as next_update,
  h.state_id = 'OnHold' and h.hold_reason is not distinct from 'Customer' as waits_for_customer
from work_unit w
left join work_unit_merge g on g.work_unit_id = w.work_unit_id and w.state_id = 'Canceled'
  and g.before ->> 'stateId' not in ('Resolved', 'Closed', 'Canceled')
join work_unit h on h.work_unit_id = case when g.work_unit_id is null then w.work_unit_id else merged_into(w.work_unit_id) end
left join work_unit_category c on c.work_unit_category_id = w.work_unit_category_id
left join work_unit_subcategory s on s.work_unit_subcategory_id = w.work_unit_subcategory_id
left join call_back b on b.work_unit_id = w.work_unit_id and b.closed_at is null;
