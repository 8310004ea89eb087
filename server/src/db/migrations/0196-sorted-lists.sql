-- Each header of the list of work units sorts a million rows by an index: one for all tenants and one for each tenant. The key at the
-- end makes the order total, in the direction of the column. Texts are in the order of the language, not of their bytes.
create index work_unit_by_tenant on work_unit (tenant_id, work_unit_id);
create index work_unit_tenant_by_number on work_unit (tenant_id, public_work_unit_id, work_unit_id);
create index work_unit_by_severity on work_unit (severity_id, work_unit_id);
create index work_unit_by_state on work_unit (state_id, work_unit_id);
create index work_unit_tenant_by_state on work_unit (tenant_id, state_id, work_unit_id);
create index work_unit_by_type on work_unit (work_unit_type_id, work_unit_id);
create index work_unit_tenant_by_type on work_unit (tenant_id, work_unit_type_id, work_unit_id);
create index work_unit_by_created on work_unit (created, work_unit_id);
create index work_unit_tenant_by_created on work_unit (tenant_id, created, work_unit_id);
create index work_unit_by_modified on work_unit (modified, work_unit_id);
create index work_unit_tenant_by_modified on work_unit (tenant_id, modified, work_unit_id);
create index work_unit_by_title on work_unit (title collate "und-x-icu", work_unit_id);
create index work_unit_tenant_by_title on work_unit (tenant_id, title collate "und-x-icu", work_unit_id);
create index work_unit_by_assigned_to on work_unit (assigned_to collate "und-x-icu" nulls first, work_unit_id);
create index work_unit_tenant_by_assigned_to on work_unit (tenant_id, assigned_to collate "und-x-icu" nulls first, work_unit_id);
create index work_unit_by_group on work_unit (assignment_group collate "und-x-icu" nulls first, work_unit_id);
create index work_unit_tenant_by_group on work_unit (tenant_id, assignment_group collate "und-x-icu" nulls first, work_unit_id);
create index work_unit_by_stakeholder_name on work_unit (stake_holder_full_name collate "und-x-icu" nulls first, work_unit_id);
create index work_unit_tenant_by_stakeholder_name on work_unit (tenant_id, stake_holder_full_name collate "und-x-icu" nulls first, work_unit_id);
create index work_unit_by_stakeholder_phone on work_unit (stake_holder_phone_number collate "und-x-icu" nulls first, work_unit_id);
create index work_unit_tenant_by_stakeholder_phone on work_unit (tenant_id, stake_holder_phone_number collate "und-x-icu" nulls first, work_unit_id);
create index work_unit_by_stakeholder_email on work_unit (stake_holder_email_address collate "und-x-icu" nulls first, work_unit_id);
create index work_unit_tenant_by_stakeholder_email on work_unit (tenant_id, stake_holder_email_address collate "und-x-icu" nulls first, work_unit_id);

-- Devices and blocks are listed by their names.
create index device_by_name on device (name collate "und-x-icu", device_id) where not is_deleted;
create index device_tenant_by_name on device (tenant_id, name collate "und-x-icu", device_id) where not is_deleted;
create index block_by_name on block (name collate "und-x-icu", block_id);
create index block_tenant_by_name on block (tenant_id, name collate "und-x-icu", block_id);
