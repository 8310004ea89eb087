-- Choices of the filter "assigned to": the values of one tenant's work units, and of all.
create index work_unit_assigned on work_unit (assigned_to);
create index work_unit_tenant_assigned on work_unit (tenant_id, assigned_to);
