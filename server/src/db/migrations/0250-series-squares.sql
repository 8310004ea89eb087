-- How far the readings of an hour are spread: the sum of the squares of their distances from the mean of the hour, for baselines of rules.
-- Null in pages that a server of the version before has written.
alter table series_hour add column squares float8[];
alter table series_hour alter column squares set storage plain;
