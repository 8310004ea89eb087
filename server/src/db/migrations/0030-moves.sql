-- Notes are never rewritten, but they go with their work unit when it moves to another tenant.
grant update (tenant_id) on work_unit_note to app_scoped, app_global;
