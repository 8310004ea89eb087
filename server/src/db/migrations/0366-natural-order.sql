-- Names sort as people count: srv2 before srv10, 10.0.0.9 before 10.0.0.10. The indexes of sorted lists follow; each migration takes the
-- place of a part of them, so that writers wait for a part at a time. Servers of the previous version sort without an index until they
-- are replaced. A restore leaves the collation, so it may exist.
create collation if not exists natural_order (provider = icu, locale = 'und-u-kn-true');
create index device_natural_name on device (name collate natural_order, device_id) where not is_deleted;
create index device_tenant_natural_name on device (tenant_id, name collate natural_order, device_id) where not is_deleted;
create index block_natural_name on block (name collate natural_order, block_id);
create index block_tenant_natural_name on block (tenant_id, name collate natural_order, block_id);
create index work_unit_relation_natural_type on work_unit_relation (reference_type collate natural_order, work_unit_relation_id);
create index work_unit_relation_natural_reference on work_unit_relation (reference_id collate natural_order, work_unit_relation_id);
create index work_unit_relation_natural_person on work_unit_relation (created_by collate natural_order, work_unit_relation_id);
drop index device_by_name, device_tenant_by_name, block_by_name, block_tenant_by_name, work_unit_relation_by_type, work_unit_relation_by_reference, work_unit_relation_by_person;
