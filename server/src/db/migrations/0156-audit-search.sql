-- Pages of the audit by time: of a tenant, and of one person or token. The history of a row uses the index of entity and key.
create index audit_tenant_at on audit (tenant_id, at desc, audit_id desc);
create index audit_actor on audit (actor_name, at desc, audit_id desc);
