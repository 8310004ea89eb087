-- The order of work units of all tenants, and of the open ones.
create index work_unit_natural_title on work_unit (title collate natural_order, work_unit_id);
create index work_unit_natural_assigned_to on work_unit (assigned_to collate natural_order nulls first, work_unit_id);
create index work_unit_natural_group on work_unit (assignment_group collate natural_order nulls first, work_unit_id);
create index work_unit_natural_stakeholder_name on work_unit (stake_holder_full_name collate natural_order nulls first, work_unit_id);
create index work_unit_natural_stakeholder_phone on work_unit (stake_holder_phone_number collate natural_order nulls first, work_unit_id);
create index work_unit_natural_stakeholder_email on work_unit (stake_holder_email_address collate natural_order nulls first, work_unit_id);
create index work_unit_open_natural_title on work_unit (title collate natural_order, work_unit_id)
  where state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated');
create index work_unit_open_natural_assigned_to on work_unit (assigned_to collate natural_order nulls first, work_unit_id)
  where state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated');
create index work_unit_open_natural_group on work_unit (assignment_group collate natural_order nulls first, work_unit_id)
  where state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated');
create index work_unit_open_natural_stakeholder_name on work_unit (stake_holder_full_name collate natural_order nulls first, work_unit_id)
  where state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated');
create index work_unit_open_natural_stakeholder_phone on work_unit (stake_holder_phone_number collate natural_order nulls first, work_unit_id)
  where state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated');
create index work_unit_open_natural_stakeholder_email on work_unit (stake_holder_email_address collate natural_order nulls first, work_unit_id)
  where state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated');
drop index work_unit_by_title, work_unit_by_assigned_to, work_unit_by_group, work_unit_by_stakeholder_name, work_unit_by_stakeholder_phone, work_unit_by_stakeholder_email, work_unit_open_by_title, work_unit_open_by_assigned_to, work_unit_open_by_group, work_unit_open_by_stakeholder_name, work_unit_open_by_stakeholder_phone, work_unit_open_by_stakeholder_email;
