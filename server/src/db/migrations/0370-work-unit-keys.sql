-- The work unit that another system opened under a key of its own: one for each key, the newest. While a call opens or closes, its
-- lock on the row makes others with the same key wait. `work_unit_id` is null only inside the transaction that opens the unit.
create table work_unit_key (
  tenant_id uuid not null references tenant,
  source text not null,
  key text not null,
  work_unit_id bigint references work_unit,
  primary key (tenant_id, source, key)
);
create index work_unit_key_unit on work_unit_key (work_unit_id);
select secure_tenant_table('work_unit_key');
grant select, insert, update on work_unit_key to app_scoped, app_global;
