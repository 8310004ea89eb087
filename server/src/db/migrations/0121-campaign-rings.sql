-- A campaign may begin on one ring of its devices after the other. The first ring is 0; without rings all devices are in it.
alter table campaign add column rings jsonb;
alter table campaign add column gate jsonb;
alter table campaign add column pause_minutes int not null default 0;
alter table campaign add column ring int not null default 0;
alter table campaign add column ring_begun timestamptz(3);
-- When the gate of the current ring was met.
alter table campaign add column ring_passed timestamptz(3);
alter table campaign add column ring_note text;
alter table campaign add column returned int not null default 0;
alter table campaign_device add column ring int not null default 0;
-- True: it failed before the device could try, or because the device did not answer.
alter table campaign_device add column untried boolean not null default false;
-- The version that was requested before; it comes back when the campaign is returned.
alter table campaign_device add column version_before uuid;
