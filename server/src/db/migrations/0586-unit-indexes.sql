-- Each index of work units is written for each new unit. Lists sorted by tenant, state or severity order equal rows by severity and time, as
-- lists do that are not sorted, so that the indexes of those serve both.
drop index work_unit_by_tenant, work_unit_by_state, work_unit_tenant_by_state, work_unit_by_severity, work_unit_open_by_severity,
  work_unit_tenant_assigned;
