-- The open work units of all tenants in the order of each column: far pages are read from an index alone. Few units are open, so these
-- indexes are small. Those of one tenant are few enough to be sorted.
create index work_unit_open_by_number on work_unit (public_work_unit_id, work_unit_id)
  where state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated');
create index work_unit_open_by_severity on work_unit (severity_id, work_unit_id)
  where state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated');
create index work_unit_open_by_type on work_unit (work_unit_type_id, work_unit_id)
  where state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated');
create index work_unit_open_by_created on work_unit (created, work_unit_id)
  where state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated');
create index work_unit_open_by_modified on work_unit (modified, work_unit_id)
  where state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated');
create index work_unit_open_by_title on work_unit (title collate "und-x-icu", work_unit_id)
  where state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated');
create index work_unit_open_by_assigned_to on work_unit (assigned_to collate "und-x-icu" nulls first, work_unit_id)
  where state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated');
create index work_unit_open_by_group on work_unit (assignment_group collate "und-x-icu" nulls first, work_unit_id)
  where state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated');
create index work_unit_open_by_stakeholder_name on work_unit (stake_holder_full_name collate "und-x-icu" nulls first, work_unit_id)
  where state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated');
create index work_unit_open_by_stakeholder_phone on work_unit (stake_holder_phone_number collate "und-x-icu" nulls first, work_unit_id)
  where state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated');
create index work_unit_open_by_stakeholder_email on work_unit (stake_holder_email_address collate "und-x-icu" nulls first, work_unit_id)
  where state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated');
