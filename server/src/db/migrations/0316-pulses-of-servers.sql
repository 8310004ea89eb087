-- When each server process last accepted packets, so that a restart is an outage however short, and the end of one server of several is known.
create table server_pulse (
  process text primary key,
  at timestamptz(3) not null,
  stopped boolean not null default false
);
grant select, insert, update, delete on server_pulse to app_global;

-- In a partial outage one server was away while another one accepted packets.
alter table installation_gap add column partial boolean not null default false;
