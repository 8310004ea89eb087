-- An index of blocks does not have the last blocks of its table until autovacuum has seen them, so retention read them all each time. In an
-- ordered index the pages of a day are one entry.
drop index series_hour_age, series_day_age;
create index series_hour_age on series_hour (page);
create index series_day_age on series_day (page);
