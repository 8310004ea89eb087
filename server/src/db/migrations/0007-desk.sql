-- Service desk: categories, relations, communications, and what the resolution center may see.

create table work_unit_category (
  work_unit_category_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  work_unit_type_id bigint not null references work_unit_type,
  name text not null,
  is_enabled boolean not null default true,
  is_visible_in_resolution_center boolean not null default false,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create unique index work_unit_category_name on work_unit_category (tenant_id, work_unit_type_id, lower(name));
create index work_unit_category_list on work_unit_category (name, work_unit_category_id);
create index work_unit_category_tenant on work_unit_category (tenant_id, name, work_unit_category_id);

create table work_unit_subcategory (
  work_unit_subcategory_id uuid primary key default uuidv7(),
  work_unit_category_id uuid not null references work_unit_category,
  tenant_id uuid not null references tenant,
  name text not null,
  is_enabled boolean not null default true,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create unique index work_unit_subcategory_name on work_unit_subcategory (work_unit_category_id, lower(name));
create index work_unit_subcategory_list on work_unit_subcategory (name, work_unit_subcategory_id);
create index work_unit_subcategory_tenant on work_unit_subcategory (tenant_id, name, work_unit_subcategory_id);

-- Nobody could make categories before: what stands there names none, and is left as it is.
alter table work_unit add foreign key (work_unit_category_id) references work_unit_category not valid;
alter table work_unit add foreign key (work_unit_subcategory_id) references work_unit_subcategory not valid;
create index work_unit_category_units on work_unit (work_unit_category_id) where work_unit_category_id is not null;
create index work_unit_subcategory_units on work_unit (work_unit_subcategory_id) where work_unit_subcategory_id is not null;

create sequence public_work_unit_communication_id start 1001;

create table work_unit_communication (
  work_unit_communication_id bigint generated always as identity primary key,
  public_work_unit_communication_id bigint not null default nextval('public_work_unit_communication_id') unique,
  tenant_id uuid not null references tenant,
  title text not null,
  service_manager text,
  status text not null default 'Investigating',
  details text,
  customer_assistance_required boolean not null default false,
  root_cause text,
  event_started timestamptz(3), event_engaged timestamptz(3), event_mitigated timestamptz(3), event_resolved timestamptz(3),
  next_update timestamptz(3), next_internal_update timestamptz(3),
  maximum_impact text, current_impact text, impacted_services text, internal_bridge text,
  created timestamptz(3) not null default now(),
  created_by text not null,
  modified timestamptz(3) not null default now(),
  -- What people changed last; links and steps that come and go do not count.
  user_changed timestamptz(3) not null default now(),
  user_changed_by text not null,
  version int not null default 1
);
create index work_unit_communication_list on work_unit_communication (created desc, work_unit_communication_id);
create index work_unit_communication_tenant on work_unit_communication (tenant_id, created desc, work_unit_communication_id);

create table work_unit_communication_activity (
  work_unit_communication_activity_id bigint generated always as identity primary key,
  work_unit_communication_id bigint not null references work_unit_communication,
  tenant_id uuid not null,
  activity_type text not null,
  details text not null,
  is_customer_facing boolean not null default false,
  is_complete boolean not null default false,
  completed timestamptz(3),
  created timestamptz(3) not null default now(),
  created_by text not null,
  modified timestamptz(3) not null default now(),
  version int not null default 1
);
create index work_unit_communication_activity_list on work_unit_communication_activity (created desc, work_unit_communication_activity_id);
create index work_unit_communication_activity_tenant on work_unit_communication_activity (tenant_id, created desc, work_unit_communication_activity_id);
create index work_unit_communication_activity_of on work_unit_communication_activity (work_unit_communication_id, created desc, work_unit_communication_activity_id);

-- What a work unit is about. A communication is the one kind that lists its work units, so it has a column of its own.
create table work_unit_relation (
  work_unit_relation_id bigint generated always as identity primary key,
  work_unit_id bigint not null references work_unit,
  tenant_id uuid not null,
  reference_type text not null,
  reference_id text not null,
  communication_id bigint generated always as (case when reference_type = 'WorkUnitCommunication' then reference_id::bigint end) stored
    references work_unit_communication,
  created timestamptz(3) not null default now(),
  created_by text not null,
  version int not null default 1,
  constraint work_unit_relation_reference_id unique (work_unit_id, reference_type, reference_id)
);
create index work_unit_relation_list on work_unit_relation (created desc, work_unit_relation_id);
create index work_unit_relation_tenant on work_unit_relation (tenant_id, created desc, work_unit_relation_id);
create index work_unit_relation_reference on work_unit_relation (reference_id, reference_type);
create index work_unit_relation_communication on work_unit_relation (communication_id) where communication_id is not null;

grant select, insert, update, delete on work_unit_category, work_unit_subcategory, work_unit_communication,
  work_unit_communication_activity, work_unit_relation to app_scoped, app_global;
grant usage, select on public_work_unit_communication_id to app_scoped, app_global;

-- The owner of the tables need not be above their policies; the role for all tenants is.
set role app_global;
insert into work_unit_relation (work_unit_id, tenant_id, reference_type, reference_id, created, created_by)
select w.work_unit_id, w.tenant_id, r ->> 'referenceType', r ->> 'referenceId', w.created, w.created_by
from work_unit w cross join jsonb_array_elements(w.relations) r
where r ->> 'referenceType' <> 'WorkUnitCommunication'
on conflict do nothing;
reset role;
alter table work_unit drop column relations;

select secure_tenant_table('work_unit_category');
select secure_tenant_table('work_unit_subcategory');
select secure_tenant_table('work_unit_communication');
select secure_tenant_table('work_unit_communication_activity');
select secure_tenant_table('work_unit_relation');

-- The work units of a communication. Views ask in the name of their caller: policies hold behind them.
create view communication_work_unit with (security_invoker = true) as
select r.work_unit_relation_id, r.communication_id as work_unit_communication_id, r.tenant_id, r.created as linked, r.version,
  w.work_unit_id, w.public_work_unit_id, w.title, w.severity_id, w.state_id, w.assigned_to, w.created, w.modified
from work_unit_relation r join work_unit w on w.work_unit_id = r.work_unit_id
where r.communication_id is not null;

-- A column, for behind row-level security no index on lower() is used: it is not leakproof.
alter table work_unit add column stake_holder_email_key text generated always as (lower(stake_holder_email_address)) stored;

-- What the people who asked see of a work unit: nothing internal is even there to be asked for.
create view resolution_center_work_unit with (security_invoker = true) as
select w.work_unit_id, w.public_work_unit_id, w.tenant_id, w.title, w.description, w.reference_url, w.state_id,
  case when w.state_id in ('Resolved', 'Closed', 'Canceled') then 'Done' else 'Active' end as status,
  case when w.state_id in ('Resolved', 'Closed', 'Canceled') then w.resolution end as resolution,
  w.work_unit_type_id, w.work_unit_category_id, w.work_unit_subcategory_id, c.name as service, s.name as need,
  w.stake_holder_full_name, w.stake_holder_phone_number, w.stake_holder_email_address, w.stake_holder_experience_score,
  w.stake_holder_email_key,
  w.created, w.created_by, w.modified, w.resolved, w.version
from work_unit w
left join work_unit_category c on c.work_unit_category_id = w.work_unit_category_id
left join work_unit_subcategory s on s.work_unit_subcategory_id = w.work_unit_subcategory_id;

-- Notes that the people who asked may read.
create view external_note with (security_invoker = true) as
select work_unit_note_id, work_unit_id, tenant_id, detail, created, 1 as version
from work_unit_note where is_external_note and history_type is null;

grant select on communication_work_unit, resolution_center_work_unit, external_note to app_scoped, app_global;

create index work_unit_created_by on work_unit (created_by, created desc, work_unit_id);
create index work_unit_stakeholder on work_unit (stake_holder_email_key) where stake_holder_email_key is not null;
create index work_unit_approver1 on work_unit (approver1) where approver1 is not null;
create index work_unit_approver2 on work_unit (approver2) where approver2 is not null;
create index work_unit_note_list on work_unit_note (created desc, work_unit_note_id);

-- Notes and history are appended, never changed.
revoke update, delete, truncate on work_unit_note from app_scoped, app_global;
