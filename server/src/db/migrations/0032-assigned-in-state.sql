-- Somebody's open work is a few rows of the thousands that they ever had: the index finds them by state.
drop index work_unit_assigned;
create index work_unit_assigned on work_unit (assigned_to, state_id);
drop index work_unit_tenant_assigned;
create index work_unit_tenant_assigned on work_unit (tenant_id, assigned_to, state_id);
