-- Messages about units of Sev0 wait for nobody's turn; a few of them at most pass in one pause.
alter table message_turn add column urgent_count int not null default 0;
alter table message_turn add column urgent_since timestamptz(3);
