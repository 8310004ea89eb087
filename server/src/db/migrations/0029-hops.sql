-- How far the match is from what began its chain: what its end causes is as far away as what its opening did.
alter table rule_match add column hops int not null default 0;
