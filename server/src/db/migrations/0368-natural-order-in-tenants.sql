-- The order of the work units of a tenant.
create index work_unit_tenant_natural_title on work_unit (tenant_id, title collate natural_order, work_unit_id);
create index work_unit_tenant_natural_assigned_to on work_unit (tenant_id, assigned_to collate natural_order nulls first, work_unit_id);
create index work_unit_tenant_natural_group on work_unit (tenant_id, assignment_group collate natural_order nulls first, work_unit_id);
create index work_unit_tenant_natural_stakeholder_name on work_unit (tenant_id, stake_holder_full_name collate natural_order nulls first, work_unit_id);
create index work_unit_tenant_natural_stakeholder_phone on work_unit (tenant_id, stake_holder_phone_number collate natural_order nulls first, work_unit_id);
create index work_unit_tenant_natural_stakeholder_email on work_unit (tenant_id, stake_holder_email_address collate natural_order nulls first, work_unit_id);
drop index work_unit_tenant_by_title, work_unit_tenant_by_assigned_to, work_unit_tenant_by_group, work_unit_tenant_by_stakeholder_name, work_unit_tenant_by_stakeholder_phone, work_unit_tenant_by_stakeholder_email;
