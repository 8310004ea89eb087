-- Behind the sign-in name of an approver stands a person, and who named them: nobody approves because they named themselves.
alter table work_unit add column approver1_id uuid;
alter table work_unit add column approver2_id uuid;
alter table work_unit add column approver1_named_by uuid;
alter table work_unit add column approver2_named_by uuid;
-- Who let a change go on without its approvals, in an emergency.
alter table work_unit add column approval_overridden_by text;
-- Whether changes of a tenant wait for their approvals before they start.
alter table tenant add column changes_need_approval boolean not null default true;

update work_unit w set
  approver1_id = (select person_id from person where lower(user_name) = lower(trim(w.approver1))),
  approver2_id = (select person_id from person where lower(user_name) = lower(trim(w.approver2)))
where w.work_unit_type_id = 2 and (w.approver1 is not null or w.approver2 is not null);

update work_unit w set
  approver1_named_by = (select person_id from person where lower(user_name) = lower(coalesce((select n.created_by from work_unit_note n
    where n.work_unit_id = w.work_unit_id and n.field = 'approver1' order by n.work_unit_note_id desc limit 1), w.created_by))),
  approver2_named_by = (select person_id from person where lower(user_name) = lower(coalesce((select n.created_by from work_unit_note n
    where n.work_unit_id = w.work_unit_id and n.field = 'approver2' order by n.work_unit_note_id desc limit 1), w.created_by)))
where w.work_unit_type_id = 2 and w.state_id not in ('Resolved', 'Closed', 'Canceled');

-- What had started before approvals were asked for goes on.
update work_unit set approval_overridden_by = 'Started before approvals were required'
where work_unit_type_id = 2 and state_id not in ('New', 'Acknowledged', 'Canceled')
  and (approved1_by is null or (is_approver_required and approved2_by is null));
