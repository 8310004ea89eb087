-- What waits for somebody to take it, in the order of severity: of a group, and of nobody.
create index work_unit_waits_in_group on work_unit (assignment_group, severity_id, created desc, work_unit_id)
  where assigned_to is null and assignment_group is not null and state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated');
create index work_unit_waits_for_anybody on work_unit (tenant_id, severity_id, created desc, work_unit_id)
  where assigned_to is null and assignment_group is null and state_id = 'New';
