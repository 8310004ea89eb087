-- Values of a device that rules compare readings with, one per line.
alter table device add column rule_values text;
