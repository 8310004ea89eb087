-- What a person with access to many tenants or to none changes about themselves is one entry of the installation, which the transactions of
-- people with access to some tenants may add. Which entries people may read is decided by the engine, as before.
alter policy scoped on audit with check (tenant_id is null or tenant_id = any((select caller_tenants())::uuid[]));
