-- Reads the tables while others read and write them.
alter table audit validate constraint audit_before_time;
alter table rule_evaluation validate constraint rule_evaluation_before_time;
alter table device_log validate constraint device_log_before_time;
