-- What supports the status of a control: a link, a file, or a fact that the system recorded at that time.
create table control_evidence (
  evidence_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  control_status_id uuid not null references control_status on delete cascade,
  kind text not null check (kind in ('Link', 'File', 'Fact')),
  title text not null,
  url text,
  fact text,
  file_name text,
  size int,
  sha256 text,
  content bytea,
  created timestamptz(3) not null default now(),
  created_by text not null
);
create index control_evidence_status on control_evidence (control_status_id, created);
create index control_evidence_tenant on control_evidence (tenant_id, created desc, evidence_id);
-- A signed week of a control set: the report as it was signed, word for word. Reopened rows stay as the history of the week.
create table compliance_sign_off (
  sign_off_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  control_set_id uuid not null references control_set on delete cascade,
  check_date timestamptz(3) not null,
  note text,
  report text not null,
  digest text not null,
  signed_by text not null,
  created timestamptz(3) not null default now(),
  reopened_by text,
  reopened_on timestamptz(3),
  reopen_reason text
);
create unique index compliance_sign_off_once on compliance_sign_off (tenant_id, control_set_id, check_date) where reopened_on is null;
create index compliance_sign_off_tenant on compliance_sign_off (tenant_id, created desc, sign_off_id);
select secure_tenant_table('control_evidence');
select secure_tenant_table('compliance_sign_off');
grant select, insert, update, delete on control_evidence, compliance_sign_off to app_scoped, app_global;
