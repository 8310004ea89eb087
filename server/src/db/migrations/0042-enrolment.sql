-- How many new machines a token may enrol a minute and in all, and how many it has.
alter table token_grant add column machines_per_minute int not null default 50;
alter table token_grant add column machines_in_all int not null default 1000;
alter table token_grant add column machines_enrolled int not null default 0;
alter table token_grant add column enrolling_since timestamptz(3);
alter table token_grant add column enrolled_since int not null default 0;
