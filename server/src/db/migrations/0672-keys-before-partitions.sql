-- Keys of partitions contain the time. Writers wait while these are built, about a second for a million rows.
create unique index audit_before_key on audit (audit_id, at);
create unique index device_log_before_key on device_log (log_entry_id, created);
