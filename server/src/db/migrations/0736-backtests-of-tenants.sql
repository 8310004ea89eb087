-- A rule of many is tried at each of its tenants in turn: one backtest for each, of which the next begins when one is over.
alter table backtest_run add column batch_id uuid;
alter table backtest_run add column batch_place int;
-- Why a tenant was left out: the rule does not hold there ('off'), or enough packets had been read before ('packets').
alter table backtest_run add column left_out text;
create index backtest_run_batch on backtest_run (batch_id, batch_place) where batch_id is not null;
