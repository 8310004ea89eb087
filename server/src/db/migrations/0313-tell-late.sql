-- Whether the actions of a match run although the match had ended before its packet was received.
alter table rule add column tell_late boolean not null default false;
