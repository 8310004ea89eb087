-- People whom the history of a tenant's units names: readers of the units see their names, without a grant that both share.
create index work_unit_note_author on work_unit_note (created_by, tenant_id);
create index work_unit_note_assignee on work_unit_note (new_value, tenant_id) where field = 'assignedTo';
