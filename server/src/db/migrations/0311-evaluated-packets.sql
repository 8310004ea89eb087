-- When rules evaluated a packet, where that follows neither from its own time nor from its receipt: the clock of its sender was
-- corrected, or the packet came out of order. -infinity: the packet was stored only.
alter table packet add column evaluated timestamptz(3);
alter table latest_packet add column evaluated timestamptz(3);
-- How often packets other than the latest one changed the memory of the rules since the latest one.
alter table latest_packet add column revision int not null default 0;
