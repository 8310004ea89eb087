-- Relations of all tenants in the order of each column, as work units have it: the key at the end, texts in the order of the language.
-- Those of one tenant are few enough to be sorted.
create index work_unit_relation_by_type on work_unit_relation (reference_type collate "und-x-icu", work_unit_relation_id);
create index work_unit_relation_by_reference on work_unit_relation (reference_id collate "und-x-icu", work_unit_relation_id);
create index work_unit_relation_by_person on work_unit_relation (created_by collate "und-x-icu", work_unit_relation_id);
