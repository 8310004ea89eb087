-- Silence is looked at when it is due. `told_packet` is the latest packet of an entity of which a sweep has noted that it is silent: the
-- packet after it tells the sweeps by a row of `silence_over`, so they need not look at entities that stay silent.
alter table latest_packet add column told_packet uuid;

-- A sweep reads the latest packets of tenants page by page.
create index latest_packet_entities on latest_packet (tenant_id, entity_id);
drop index latest_packet_tenant;

-- Entities that reported after a sweep had noted them as silent, or for the first time, or whose packet is a hit of a rule on silence.
-- Rows are added and never updated, so that none is lost between a reading of packets and its removal.
create table silence_over (
  tenant_id uuid not null,
  silence_over_id bigint generated always as identity,
  entity_id uuid not null,
  primary key (tenant_id, silence_over_id)
);
select secure_tenant_table('silence_over');
grant select, insert, delete on silence_over to app_scoped, app_global;

-- The sweeps are divided by tenant, with a row for each share.
delete from schedule where name = 'silence';
