-- Work units that are closed as duplicates of another one. `before` has what taking them apart restores.
create table work_unit_merge (
  work_unit_id bigint primary key references work_unit on delete cascade,
  into_id bigint not null references work_unit on delete cascade,
  tenant_id uuid not null references tenant,
  before jsonb not null,
  created_by text not null,
  created timestamptz(3) not null default now()
);
create index work_unit_merge_into on work_unit_merge (into_id);
create index work_unit_merge_tenant on work_unit_merge (tenant_id);
select secure_tenant_table('work_unit_merge');
grant select, insert, update, delete on work_unit_merge to app_scoped, app_global;
create index rule_unit_work_unit on rule_unit (work_unit_id);
